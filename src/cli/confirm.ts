import { createInterface } from 'node:readline/promises'
import { AppError } from '../errors.ts'
import { printable } from './table.ts'

/** Asks before something is removed. Throws `bad_request` unless the name is typed. */
export async function confirm(what: string, wanted: string): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const question = `This removes ${what}.\nType its name to confirm (${printable(wanted)}): `
    // Without a terminal, the input ends without an answer.
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
    if ((await Promise.race([lines.question(question), ended])) === wanted) return
  } finally {
    lines.close()
  }
  throw new AppError(
    'bad_request',
    'nothing was removed: the name was not typed. Use --yes to remove it without confirming',
  )
}
