import { createHash } from 'node:crypto'
import type { When } from '../contract/when.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import type { NewRequest } from '../store/captures.ts'

export type RequestContent = Pick<NewRequest, 'options' | 'pages'>

/** The parts of a request that its digest covers. */
export interface Digested extends RequestContent {
  /** As it was given: minutes from now are the same when the request is repeated. */
  readonly when?: When | undefined
  /**
   * The template whose secrets are used, and its revision. A request with a guess in their place must not be taken for its run, nor
   * a run after the secrets were replaced by a guess.
   */
  readonly template?: string | undefined
  /** The API key that the secrets came with. Whoever repeats the request with a guess must not learn whether it is right. */
  readonly by?: string | undefined
}

/**
 * Equal requests have equal digests in every version, so that a request that is repeated after an upgrade is recognised.
 * Options of the first version have a fixed position. All others count only if they were given.
 */
export function digestOf(asked: Digested): string {
  return createHash('sha256').update(textOf(asked)).digest('hex')
}

/** For a request with secrets. Without the key, nobody who reads a digest can try out passwords. One for each key. */
export function keyedDigestsOf(asked: Digested, ring: Pick<KeyRing, 'digests'>) {
  return ring.digests(textOf(asked))
}

function textOf({ options, pages, when, template, by }: Digested): string {
  const { width, height, fullPage, tags, failOn, ...others } = options
  const parts = pages.map(({ url, name, loadingTime, ownOptions = {} }) => [
    ...[url, name, loadingTime],
    ...inOrder(ownOptions),
  ])
  const more = failOn === undefined ? [] : [failOn]
  const later = Object.entries({ when, template, by }).flatMap(([name, each]) =>
    each === undefined ? [] : [{ [name]: each }],
  )
  return JSON.stringify([width, height, fullPage, tags, parts, ...more, ...inOrder(others), ...later])
}

function inOrder(options: object): object[] {
  const names = Object.keys(options).sort()
  if (names.length === 0) return []
  return [Object.fromEntries(names.map((name) => [name, options[name as keyof typeof options]]))]
}
