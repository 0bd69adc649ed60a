import { execFileSync } from 'node:child_process'
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { makeFolder } from './workspace.ts'

/** A file system of a few megabytes, if the machine lets us mount one. */
export function mountSmall(folder: string, megabytes = 6, inodes = 0): boolean {
  const options = `size=${megabytes}m${inodes > 0 ? `,nr_inodes=${inodes}` : ''}`
  return run('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', folder)
}

/** The same in a folder of its own, which is removed with the test. Undefined if this user may not mount. */
export async function makeSmallDisk(megabytes?: number, inodes?: number): Promise<string | undefined> {
  const disk = await makeFolder()
  if (!mountSmall(disk, megabytes, inodes)) return undefined
  onTestFinished(() => void run('umount', '-l', disk))
  return disk
}

export const NO_MOUNT = 'this user may not mount a small file system'

/** Works only while no file is open for writing there. */
export function remount(disk: string, how: 'ro' | 'rw'): boolean {
  return run('mount', '-o', `remount,${how}`, disk)
}

/** Uses up all inodes. Returns a function that frees them. */
export async function takeInodes(disk: string): Promise<() => Promise<void>> {
  const folder = join(disk, 'inodes')
  await mkdir(folder)
  for (let file = 0; (await statfs(disk)).ffree > 0; file++) await writeFile(join(folder, String(file)), '')
  return () => rm(folder, { recursive: true })
}

export function run(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
