import { hkdfSync } from 'node:crypto'
import { join } from 'node:path'
import { fingerprintOf, loadOrMakeKeyList, parseKeyList } from './key-list.ts'

/** A key of SECRET_KEYS. Each use has a key of its own, which is derived from it. */
export interface SecretKey {
  readonly id: string
  readonly encryption: Buffer
  readonly digest: Buffer
  readonly fingerprint: string
}

const COMMENT =
  '# Keys that encrypt passwords, headers and cookies of requests: the first encrypts, all decrypt. To rotate, add a line\n' +
  '# above, with an id of its own; keep the old one until the pages that it encrypted are captured.\n'

/** See `parseKeyList`. */
export function parseSecretKeys(text: string): readonly SecretKey[] {
  return parseKeyList(text).map(({ id, bytes }) => ({
    id,
    encryption: derive(bytes, 'encryption'),
    digest: derive(bytes, 'digest'),
    fingerprint: fingerprintOf('secret key', bytes),
  }))
}

/** The keys in the data directory. The first call makes one. */
export async function loadOrMakeSecretKeys(dataDir: string): Promise<readonly SecretKey[]> {
  return await loadOrMakeKeyList(join(dataDir, 'secret-keys'), { comment: COMMENT, parse: parseSecretKeys })
}

function derive(bytes: Buffer, use: 'encryption' | 'digest'): Buffer {
  return Buffer.from(hkdfSync('sha256', bytes, '', `proofsheet secrets: ${use}`, 32))
}
