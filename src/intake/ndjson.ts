import { createReadStream } from 'node:fs'
import { basename, dirname } from 'node:path'
import { AppError } from '../errors.ts'
import { pictureFile } from './picture-file.ts'
import { parseEntry, type Submission } from './submission.ts'

/** One line of an import file, not parsed yet. */
export interface EntryLine {
  /** `results.ndjson:12`. */
  readonly where: string
  /** Throws `bad_request` where the line is not a root. */
  parse(): Submission
}

/** 10,000 jobs with long addresses fit; a file that is no NDJSON at all does not fill the memory. */
const MAX_LINE_BYTES = 64 * 1024 * 1024

export async function* readNdjson(path: string): AsyncGenerator<EntryLine> {
  const folder = dirname(path)
  let number = 0
  for await (const bytes of splitLines(path)) {
    number++
    if (bytes.length === 0 || /^\s*$/.test(bytes.toString('latin1', 0, 200))) continue
    yield {
      where: `${basename(path)}:${number}`,
      parse: () => parseEntry(decode(bytes), (picture) => pictureFile(folder, picture)),
    }
  }
}

/** How many lines hold something; for progress only. */
export async function countLines(path: string): Promise<number> {
  let lines = 0
  for await (const bytes of splitLines(path)) if (bytes.length > 1) lines++
  return lines
}

async function* splitLines(path: string): AsyncGenerator<Buffer> {
  let begun: Buffer[] = []
  let begunBytes = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, end)])
      begun = []
      begunBytes = 0
      from = end + 1
    }
    begun.push(chunk.subarray(from))
    begunBytes += chunk.length - from
    if (begunBytes > MAX_LINE_BYTES)
      throw new AppError('bad_request', `${path} has a line of more than 64 MiB`)
  }
  if (begunBytes > 0) yield Buffer.concat(begun)
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new AppError('bad_request', 'is not UTF-8')
  }
}
