import type { CaptureOptions, OwnOptions, PageOptions } from './capture-options.ts'

/** The options of a request, with those of the page itself. Only this function puts them together. */
export function optionsOfPage({ tags: _, ...all }: CaptureOptions, own: OwnOptions | undefined): PageOptions {
  return { ...all, ...own }
}
