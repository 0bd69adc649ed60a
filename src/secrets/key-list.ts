import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError } from '../errors.ts'
import { makeDurableFolder } from '../files/durable-folder.ts'
import { makeOnce } from '../files/make-once.ts'
import { unlessMissing } from '../files/unless-missing.ts'

/** One key of a list. Its id is public, its bytes are not. */
export interface ListedKey {
  readonly id: string
  readonly bytes: Buffer
}

const MIN_BYTES = 32
const ENTRY = /^([a-zA-Z0-9]{1,16}):([A-Za-z0-9+/_-]+={0,2})$/

/** `id:base64,id:base64`, or one per line with `#` comments. Error messages never show a key. */
export function parseKeyList(text: string): readonly ListedKey[] {
  const entries = text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .flatMap((line) => line.split(','))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  if (entries.length === 0) throw new Error('must hold at least one key')
  const keys = entries.map((entry, index) => {
    const match = ENTRY.exec(entry)
    if (!match?.[1] || !match[2]) {
      throw new Error(
        `must be a list of id:base64, with ids of letters and digits; entry ${index + 1} is not`,
      )
    }
    const bytes = Buffer.from(match[2], 'base64')
    if (bytes.length < MIN_BYTES) {
      throw new Error(
        `needs at least ${MIN_BYTES} bytes a key (openssl rand -base64 32); entry ${index + 1} has ${bytes.length}`,
      )
    }
    return { id: match[1], bytes }
  })
  const ids = keys.map((key) => key.id)
  if (new Set(ids).size < ids.length) throw new Error('must not have two keys with the same id')
  return keys
}

/** The keys of a file. The first call makes it, with one key. Processes that start at the same time get the same key. */
export async function loadOrMakeKeyList<T>(
  path: string,
  { comment, parse }: { comment: string; parse: (text: string) => T },
): Promise<T> {
  const text = (await readFile(path, 'utf8').catch(unlessMissing)) ?? (await makeKeyList(path, comment))
  try {
    return parse(text)
  } catch (error) {
    throw new AppError('storage_failed', `${path} ${(error as Error).message}`)
  }
}

async function makeKeyList(path: string, comment: string): Promise<string> {
  try {
    await makeDurableFolder(dirname(path))
    return await makeOnce(path, `${comment}k1:${randomBytes(MIN_BYTES).toString('base64')}\n`)
  } catch (cause) {
    const reason = (cause as Error).message
    throw new AppError(
      'storage_failed',
      `${path} is missing and cannot be created: ${reason}. Restore it from a backup, or let the service write there once.`,
      { cause },
    )
  }
}

/** Distinguishes keys with the same id, without showing their bytes. `use`: what the key is for. */
export function fingerprintOf(use: string, bytes: Buffer): string {
  return createHash('sha256').update(`proofsheet ${use}\n`).update(bytes).digest('base64url').slice(0, 8)
}
