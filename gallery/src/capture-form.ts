import type { ScreenshotParameter } from '../../src/contract/capture-options.ts'
import { defaultName } from '../../src/contract/page-names.ts'
import type { ScreenshotRequest } from '../../src/contract/screenshot-request.ts'

export interface Size {
  readonly name: string
  readonly width: number
  readonly height: number
}

export const SIZES: readonly Size[] = [
  { name: 'Desktop', width: 1280, height: 800 },
  { name: 'Wide', width: 1920, height: 1080 },
  { name: 'Tablet', width: 820, height: 1180 },
  { name: 'Phone', width: 390, height: 844 },
]

/** A line of the field, with its number, from 1. */
interface Line {
  readonly number: number
  readonly text: string
}

export interface Filled extends Omit<ScreenshotParameter, 'tags'> {
  readonly addresses: string
  readonly tags: string
}

/** The request of the form. An address without a scheme gets one. */
export function toRequest({ addresses, tags, ...options }: Filled): ScreenshotRequest {
  return {
    screenshotParameter: { ...options, tags: readTags(tags) },
    urls: readLines(addresses).map(({ text }) => {
      const url = /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`
      return { url, name: defaultName(url) }
    }),
  }
}

export type Field = 'addresses' | 'size' | 'tags' | 'form'

/** Mistakes that the API reports, by field. `#/urls/2/url` is the third address. */
export function placeMistakes(
  addresses: string,
  mistakes: readonly { pointer?: string | undefined; detail: string }[],
): Record<Field, string[]> {
  const placed: Record<Field, string[]> = { addresses: [], size: [], tags: [], form: [] }
  const lines = readLines(addresses)
  for (const { pointer = '', detail } of mistakes) {
    const [, index] = /^#\/urls\/(\d+)/.exec(pointer) ?? []
    const [, part] = /^#\/screenshotParameter\/(\w+)/.exec(pointer) ?? []
    if (index !== undefined) {
      const line = lines[Number(index)]
      placed.addresses.push(line ? `Line ${line.number} ${detail}` : detail)
    } else if (pointer.startsWith('#/urls')) placed.addresses.push(`The list ${detail}`)
    else if (part === 'width' || part === 'height') placed.size.push(`The ${part} ${detail}`)
    else if (part === 'tags') placed.tags.push(`A tag ${detail}`)
    else placed.form.push(detail)
  }
  return placed
}

function readLines(addresses: string): Line[] {
  return addresses
    .split('\n')
    .map((text, index) => ({ number: index + 1, text: text.trim() }))
    .filter(({ text }) => text !== '')
}

function readTags(tags: string): string[] {
  const given = tags.split(',').map((tag) => tag.trim())
  return [...new Set(given.filter((tag) => tag !== ''))]
}
