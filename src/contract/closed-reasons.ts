import type { CaptureReason } from './status.ts'

/** Projects that are told why a page failed, whatever the reason. To others these reasons are closed. */
export type ExplainTo = Pick<ReadonlySet<string>, 'has'>

/** Told apart, they would tell which names exist in the network that pages are captured from. */
const CLOSED: readonly CaptureReason[] = ['dns', 'blocked']

interface Failure {
  readonly reason: CaptureReason
  readonly detail: string
}

/** A failure as a project is told of it: a stranger hears the same of a name that is unknown and of a private one. */
export function tellFailure({ reason, detail }: Failure, url: string, isExplained: boolean): Failure {
  if (isExplained || !CLOSED.includes(reason)) return { reason, detail }
  const host = URL.parse(url)?.host || 'The page'
  return {
    reason: 'unreachable',
    detail:
      `${host} could not be reached, or leads to what could not: DNS does not know the name, or captured pages ` +
      'may not go there. Whoever runs the service sees which in its log.',
  }
}
