import { createReadStream } from 'node:fs'
import { basename, dirname } from 'node:path'
import { AppError } from '../errors.ts'
import type { Entry } from './import-all.ts'
import { pictureFile } from './picture-file.ts'
import { parseEntry } from './submission.ts'

/** Enough for 10,000 jobs with long addresses. A file that is not NDJSON does not fill the memory. */
const MAX_LINE_BYTES = 64 * 1024 * 1024
const BYTE_ORDER_MARK = Buffer.from('\ufeff')
const NEWLINE = 10

/** One root per line. Empty lines are skipped. */
export async function* readNdjson(path: string): AsyncGenerator<Entry> {
  const folder = dirname(path)
  for await (const { number, bytes } of readLines(path)) {
    yield {
      where: `${basename(path)}:${number}`,
      parse: () => parseEntry(decode(bytes), (picture) => pictureFile(folder, picture)),
    }
  }
}

/** How many pictures the file names, for progress. Lines that are not roots count as none. */
export async function countPictures(path: string): Promise<number> {
  let pictures = 0
  for await (const { bytes } of readLines(path)) {
    try {
      const { jobs } = JSON.parse(decode(bytes))
      if (Array.isArray(jobs)) pictures += jobs.length
    } catch {
      // Reported when this line is imported.
    }
  }
  return pictures
}

/** `bytes` are undefined if the line is too long. */
async function* readLines(path: string): AsyncGenerator<{ number: number; bytes: Buffer | undefined }> {
  let number = 0
  let begun: Buffer[] = []
  let length = 0
  const add = (part: Buffer) => {
    length += part.length
    begun = length > MAX_LINE_BYTES ? [] : [...begun, part]
  }
  const finish = () => {
    number++
    const whole = length > MAX_LINE_BYTES ? undefined : Buffer.concat(begun)
    const bytes = number === 1 && whole?.indexOf(BYTE_ORDER_MARK) === 0 ? whole.subarray(3) : whole
    begun = []
    length = 0
    return bytes?.every(isBlank) ? undefined : { number, bytes }
  }
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, end))
      const line = finish()
      if (line) yield line
      from = end + 1
    }
    add(chunk.subarray(from))
  }
  const last = finish()
  if (last) yield last
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d
}

function decode(bytes: Buffer | undefined): string {
  if (bytes === undefined) throw new AppError('bad_request', 'is longer than 64 MiB')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new AppError('bad_request', 'is not UTF-8')
  }
}
