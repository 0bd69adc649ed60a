import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { isFull, translatingWrites } from './errors.ts'
import { hasNoInodes, readRoom } from './room.ts'
import { makeInStaging, STAGING } from './staging.ts'

/** Enough for a quota that is used up to be noticed. */
const BYTES = Buffer.alloc(64 * 1024)
/** Processes may try at the same time. If one is killed meanwhile, its file goes with what was never published. */
const NAME = `.probe-${randomBytes(6).toString('hex')}`

const UNTIL_ROOM = 'nothing is captured until there is room.'
const NO_INODES = `The disk that holds the pictures has no inodes left, so it takes no more files: ${UNTIL_ROOM}`
const NO_ROOM = `The disk that holds the pictures is full: ${UNTIL_ROOM}`

/** Throws if there is less room than the reserve. */
export async function requireRoom(root: string): Promise<void> {
  const { isFull, lacksInodes } = await readRoom(root)
  if (isFull) throw noRoom(lacksInodes)
}

/** Stores and removes a file. Throws if pictures could not be stored. */
export async function tryWriting(root: string): Promise<void> {
  const file = join(root, STAGING, NAME)
  await translatingWrites(async () => {
    // Folders of new projects are made here.
    await access(root, constants.W_OK)
    try {
      await makeInStaging(root, () => writeFile(file, BYTES, { mode: 0o600 }))
    } catch (error) {
      throw isFull(error) ? noRoom(await hasNoInodes(root), error) : error
    } finally {
      await rm(file, { force: true }).catch(() => {})
    }
  })
}

function noRoom(lacksInodes: boolean, cause?: unknown): AppError {
  return new AppError('storage_full', lacksInodes ? NO_INODES : NO_ROOM, { cause })
}
