import { join } from 'node:path'
import { fingerprintOf, loadOrMakeKeyList, parseKeyList } from '../../secrets/key-list.ts'
import { createMac } from '../mac.ts'

export type SigningKey = ReturnType<typeof parseSigningKeys>[number]

const COMMENT =
  '# Keys that sign image addresses: the first signs, all verify. To rotate, add a line above, with an id of its own;\n' +
  '# keep the old one until its addresses have expired (two signing windows).\n'

export function parseSigningKeys(text: string) {
  return parseKeyList(text).map(({ id, bytes }) => ({
    id,
    mac: createMac(bytes),
    fingerprint: fingerprintOf('signing key', bytes),
  }))
}

/** The keys in the data directory. The first call makes one. */
export async function loadOrMakeSigningKeys(dataDir: string): Promise<readonly SigningKey[]> {
  return await loadOrMakeKeyList(join(dataDir, 'signing-keys'), { comment: COMMENT, parse: parseSigningKeys })
}
