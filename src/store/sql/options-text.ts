import type { CaptureOptions, OwnOptions } from '../../contract/capture-options.ts'

// What `requests.options` and `captures.own_options` hold: JSON, written and read here and nowhere else. An option that the
// row does not have was not asked for, or was not known yet when the row was written.

export function writeOptions(options: CaptureOptions): string {
  return JSON.stringify(options)
}

export function readOptions(text: string): CaptureOptions {
  return JSON.parse(text)
}

export function writeOwnOptions(own: OwnOptions | undefined): string | null {
  return own && Object.keys(own).length > 0 ? JSON.stringify(own) : null
}

/** Empty and null: none. */
export function readOwnOptions(text: string | null): OwnOptions | undefined {
  return text ? JSON.parse(text) : undefined
}
