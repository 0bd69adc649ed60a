import type { CaptureOptions, OwnOptions } from '../../../contract/capture-options.ts'

// The JSON of `requests.options` and `captures.own_options`. Only this file writes and reads it. An option that a row does
// not have was not requested, or did not exist when the row was written.

export function writeOptions(options: CaptureOptions): string {
  return JSON.stringify(options)
}

export function readOptions(text: string): CaptureOptions {
  return JSON.parse(text)
}

export function writeOwnOptions(own: OwnOptions | undefined): string | null {
  return own && Object.keys(own).length > 0 ? JSON.stringify(own) : null
}

/** Empty or null means no options. */
export function readOwnOptions(text: string | null): OwnOptions | undefined {
  return text ? JSON.parse(text) : undefined
}
