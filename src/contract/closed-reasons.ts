import type { CaptureReason } from './status.ts'

/** Projects that see every reason why a page failed. All others do not see the closed reasons. */
export type ExplainTo = Pick<ReadonlySet<string>, 'has'>

/** The difference between them would show which names exist in the network of the service. */
const CLOSED: readonly CaptureReason[] = ['dns', 'blocked']

interface Failure {
  readonly reason: CaptureReason
  readonly detail: string
}

/** A failure as a project sees it. Without explanation, an unknown name and a private name look the same. */
export function tellFailure({ reason, detail }: Failure, url: string, isExplained: boolean): Failure {
  if (isExplained || !CLOSED.includes(reason)) return { reason, detail }
  const host = URL.parse(url)?.host || 'The page'
  return {
    reason: 'unreachable',
    detail:
      `${host} could not be reached, or redirects to a host that could not: DNS does not know the name, or captured pages ` +
      'may not go there. The log of the service says which.',
  }
}
