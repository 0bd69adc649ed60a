import { createInterface } from 'node:readline/promises'
import { AppError } from '../errors.ts'

/** Prints a result, for people and for scripts. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Prints rows, or says that there are none. */
export function printTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  none: string,
): void {
  if (rows.length === 0) say(none)
  else print(formatTable(header, rows))
}

/** Says something beside the result. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** A mistake in the command: exit code 2. */
export function wrong(text: string): AppError {
  return new AppError('bad_request', text)
}

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
  throw wrong('nothing was removed: the name was not typed. Use --yes to remove it without confirming')
}

export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows]
  const widths = header.map((_, column) =>
    lines.reduce((widest, line) => Math.max(widest, line[column]?.length ?? 0), 0),
  )
  const pad = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0)
  return lines.map((line) => line.map(pad).join('  ').trimEnd()).join('\n')
}

export function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')
}

/** Replaces control characters in names before they are printed on a terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}|\p{Cf}/gu, '�')
}

/** "1 root", "1,200 roots". */
export function counted(count: number, thing: string): string {
  return `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`
}
