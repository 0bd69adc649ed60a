import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import type { DiskSpace } from '../images.ts'
import { isFull, translatingWrites } from './errors.ts'
import { makeInStaging, STAGING } from './staging.ts'

/** Stays free for the database, which is often on the same disk: its log may grow to this size. */
const RESERVE_BYTES = 64 * 1024 * 1024
/** A picture takes two files, and the database needs two when it is opened. */
const RESERVE_INODES = 16
/** On a small disk the reserve is smaller. */
const RESERVE_SHARE = 0.05

/** Enough for a quota that is used up to be noticed. */
const BYTES = Buffer.alloc(64 * 1024)
/** Processes may try at the same time. If one is killed meanwhile, its file goes with what was never published. */
const NAME = `.probe-${randomBytes(6).toString('hex')}`

const UNTIL_ROOM = 'nothing is captured until there is room.'
const NO_INODES = `The disk that holds the pictures has no inodes left, so it takes no more files: ${UNTIL_ROOM}`
const NO_ROOM = `The disk that holds the pictures is full: ${UNTIL_ROOM}`

export async function readRoom(folder: string): Promise<DiskSpace> {
  // Space that only root may use does not count.
  const { bsize, blocks, bavail, files, ffree } = await statfs(folder)
  const totalBytes = blocks * bsize
  const freeBytes = bavail * bsize
  const lacksBytes = freeBytes < reserveOf(totalBytes, RESERVE_BYTES)
  // Some file systems count no inodes, and say that none is free. Then only trying tells.
  const lacksInodes = ffree > 0 && ffree < reserveOf(files, RESERVE_INODES)
  return { totalBytes, freeBytes, isFull: lacksBytes || lacksInodes, lacksInodes }
}

/** Whether a file system that refused a new file has no inodes left. */
async function hasNoInodes(folder: string): Promise<boolean> {
  const { files, ffree } = await statfs(folder)
  return files > 0 && ffree < reserveOf(files, RESERVE_INODES)
}

function reserveOf(total: number, most: number): number {
  return Math.min(most, total * RESERVE_SHARE)
}

export async function requireRoom(root: string): Promise<void> {
  const { isFull, lacksInodes } = await readRoom(root)
  if (isFull) throw noRoom(lacksInodes)
}

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
