import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { makeDurableFolder } from '../../durable-folder.ts'
import { AppError } from '../../errors.ts'
import { createMac, type Mac } from '../mac.ts'
import { makeOnce, readIfThere } from './make-once.ts'

export interface SigningKey {
  readonly id: string
  readonly mac: Mac
  /** Distinguishes keys with the same id, without showing the secret. */
  readonly fingerprint: string
}

const MIN_SECRET_BYTES = 32
const ENTRY = /^([a-zA-Z0-9]{1,16}):([A-Za-z0-9+/_-]+={0,2})$/

/** `id:base64,id:base64`, or one per line with `#` comments. Error messages never show a secret. */
export function parseSigningKeys(text: string): readonly SigningKey[] {
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
    if (bytes.length < MIN_SECRET_BYTES) {
      throw new Error(
        `needs at least ${MIN_SECRET_BYTES} bytes a key (openssl rand -base64 32); entry ${index + 1} has ${bytes.length}`,
      )
    }
    return toSigningKey(match[1], bytes)
  })
  const ids = keys.map((key) => key.id)
  if (new Set(ids).size < ids.length) throw new Error('must not have two keys with the same id')
  return keys
}

function toSigningKey(id: string, bytes: Buffer): SigningKey {
  const fingerprint = createHash('sha256')
    .update('proofsheet signing key\n')
    .update(bytes)
    .digest('base64url')
    .slice(0, 8)
  return { id, mac: createMac(bytes), fingerprint }
}

/** The keys in the data directory. The first call makes one. Processes that start at the same time get the same key. */
export async function loadOrMakeSigningKeys(dataDir: string): Promise<readonly SigningKey[]> {
  const path = join(dataDir, 'signing-keys')
  const kept = await readIfThere(path)
  if (kept !== undefined) return parseKept(path, kept)
  await makeDurableFolder(dataDir)
  const made = await makeOnce(
    path,
    '# Keys that sign image addresses: the first signs, all verify. To rotate, add a line above, with an id of its own;\n' +
      '# keep the old one until its addresses have expired (two signing windows).\n' +
      `k1:${randomBytes(MIN_SECRET_BYTES).toString('base64')}\n`,
  )
  return parseKept(path, made)
}

function parseKept(path: string, text: string): readonly SigningKey[] {
  try {
    return parseSigningKeys(text)
  } catch (error) {
    throw new AppError('storage_failed', `${path} ${(error as Error).message}`)
  }
}
