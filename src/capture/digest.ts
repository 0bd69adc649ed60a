import { createHash } from 'node:crypto'
import type { NewRequest } from '../store/captures.ts'

/** What a request asks for. */
export type Asked = Pick<NewRequest, 'options' | 'pages'>

/**
 * Equal for equal requests, in every version: a client that repeats its request after an upgrade must be recognised. So
 * what could always be asked for has its place, and anything else counts only where it was asked for.
 */
export function digestOf({ options, pages }: Asked): string {
  const { width, height, fullPage, tags, failOn, ...others } = options
  const parts = pages.map(({ url, name, loadingTime, ownOptions = {} }) => [
    ...[url, name, loadingTime],
    ...inOrder(ownOptions),
  ])
  const more = failOn === undefined ? [] : [failOn]
  return createHash('sha256')
    .update(JSON.stringify([width, height, fullPage, tags, parts, ...more, ...inOrder(others)]))
    .digest('hex')
}

/** None, or one object, whatever the order in which the options were given. */
function inOrder(options: object): object[] {
  const names = Object.keys(options).sort()
  if (names.length === 0) return []
  return [Object.fromEntries(names.map((name) => [name, options[name as keyof typeof options]]))]
}
