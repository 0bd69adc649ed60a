import { readFileSync } from 'node:fs'

// Loaded before a service: sets its clock ahead by the number of milliseconds in a file, which may change.

const LOOK_MS = 20
const RealDate = Date
let ahead = 0

function look(): void {
  try {
    ahead = Number(readFileSync(process.env['CLOCK_FILE'] ?? '', 'utf8')) || 0
  } catch {
    // The file is just being written.
  }
}

look()
setInterval(look, LOOK_MS).unref()
globalThis.Date = class extends RealDate {
  constructor(...values: ConstructorParameters<typeof RealDate> | []) {
    if (values.length === 0) super(RealDate.now() + ahead)
    else super(...(values as [number]))
  }
  static override now(): number {
    return RealDate.now() + ahead
  }
} as DateConstructor
