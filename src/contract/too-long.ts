import type { CaptureOptions, OwnOptions } from './capture-options.ts'
import type { Mistake } from './check.ts'
import { conceal } from './options/secrets.ts'

/** Lists show the options with each picture. A list page of 100 pictures must stay small enough for one turn. */
const MAX_OPTIONS = 20_000

/** Options that are too long: those for all pages, or these together with those of one page. Secrets do not count. */
export function findTooLong(
  options: CaptureOptions,
  pages: readonly { readonly index: number; readonly ownOptions?: OwnOptions }[],
): Mistake[] {
  const shared = lengthOf(options)
  if (shared > MAX_OPTIONS) return [{ pointer: '#/screenshotParameter', detail: tooLong(shared) }]
  const mistakes = new Map<number, Mistake>()
  for (const { index, ownOptions } of pages) {
    const length = ownOptions && !mistakes.has(index) ? shared + lengthOf(ownOptions) : 0
    if (length > MAX_OPTIONS) mistakes.set(index, { pointer: `#/urls/${index}`, detail: tooLong(length) })
  }
  return [...mistakes.values()]
}

function lengthOf(options: CaptureOptions | OwnOptions): number {
  return JSON.stringify(conceal(options).options).length
}

function tooLong(length: number): string {
  return (
    `must have at most ${MAX_OPTIONS} characters of options as JSON, those for all pages included, and has ${length}: ` +
    'shorten css, hide or clicks'
  )
}
