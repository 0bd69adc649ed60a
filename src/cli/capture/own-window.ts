import type { PageStatus } from '../../contract/status.ts'

/** `390x844`, for a page that has a window of its own. Empty for all others. */
export function ownWindow({ options }: Pick<PageStatus, 'options'>): string {
  const { width, height } = options ?? {}
  if (width === undefined && height === undefined) return ''
  return `${width ?? ''}x${height ?? ''}`
}
