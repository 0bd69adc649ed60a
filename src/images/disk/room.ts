import { statfs } from 'node:fs/promises'
import type { DiskSpace } from '../images.ts'

/**
 * The space that stays free for the database, which is often on the same disk: its log may grow to this size. On a small disk it is
 * a share of it.
 */
const RESERVE_BYTES = 64 * 1024 * 1024
/** A picture takes two files, and the database needs two when it is opened. */
const RESERVE_INODES = 16
const RESERVE_SHARE = 0.05

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
export async function hasNoInodes(folder: string): Promise<boolean> {
  const { files, ffree } = await statfs(folder)
  return files > 0 && ffree < reserveOf(files, RESERVE_INODES)
}

function reserveOf(total: number, most: number): number {
  return Math.min(most, total * RESERVE_SHARE)
}
