import { statfs } from 'node:fs/promises'
import type { DiskSpace } from '../images.ts'

/**
 * What stays free for the database, which is often on the same disk: its log may grow to this size. On a small disk it is
 * a share of it.
 */
const RESERVE_BYTES = 64 * 1024 * 1024
const RESERVE_SHARE = 0.05

export async function readRoom(folder: string): Promise<DiskSpace> {
  // Space that only root may use does not count.
  const { bsize, blocks, bavail } = await statfs(folder)
  const totalBytes = blocks * bsize
  const freeBytes = bavail * bsize
  return { totalBytes, freeBytes, isFull: freeBytes < Math.min(RESERVE_BYTES, totalBytes * RESERVE_SHARE) }
}
