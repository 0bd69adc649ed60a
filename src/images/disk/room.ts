import { statfs } from 'node:fs/promises'
import type { Room } from '../images.ts'

/**
 * What is kept free: the database often lies on the same disk, and its rows and log are what requests need. Its log may
 * grow to this size. Of a small disk it is a share, or nothing would ever be stored there.
 */
const RESERVE_BYTES = 64 * 1024 * 1024
const RESERVE_SHARE = 0.05

export async function readRoom(folder: string): Promise<Room> {
  // What is free for root alone does not count.
  const { bsize, blocks, bavail } = await statfs(folder)
  const totalBytes = blocks * bsize
  const freeBytes = bavail * bsize
  return { totalBytes, freeBytes, isFull: freeBytes < Math.min(RESERVE_BYTES, totalBytes * RESERVE_SHARE) }
}
