import { execFileSync } from 'node:child_process'
import { chmod, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished, test } from 'vitest'
import { RIGHTS_COUNT } from '../test/support/processes/process.ts'
import { makeSmallDisk, NO_MOUNT, remount, run, takeInodes } from '../test/support/processes/small-disk.ts'
import { makeFolder } from '../test/support/processes/workspace.ts'
import { tell } from './outcome.ts'
import { underLoad, untilReadiness } from './under-load.ts'
import { newInstallation } from './worlds.ts'

const TIMES = 3
const WORLD = 'SQLite and a folder'
const LASTS_MS = 5_000
const DISK_BYTES = 64 * 1024 * 1024

const on = (disk: string) => (more: Record<string, string>) =>
  newInstallation({ DATA_DIR: join(disk, 'data'), ...more })

test('no inodes for 5 s', async ({ task, skip }) => {
  const disk = (await makeSmallDisk(64, 4_000)) ?? skip(NO_MOUNT)
  const outcome = await underLoad(on(disk), TIMES, async (load) => {
    const giveBack = await takeInodes(disk)
    await untilReadiness(load, 'storage_full')
    await sleep(LASTS_MS)
    await giveBack()
    await untilReadiness(load, 'ok')
  })
  tell(task, { world: WORLD, ...outcome })
})

test('the file system fails and becomes read-only, the service is started on it, and it can be written again', async ({
  task,
  skip,
}) => {
  const folder = await makeFolder()
  const [image, disk] = [join(folder, 'image'), join(folder, 'disk')]
  await mkdir(disk)
  const file = await open(image, 'w')
  await file.truncate(DISK_BYTES)
  await file.close()
  if (!run('mkfs.ext4', '-q', image) || !run('mount', '-o', 'loop', image, disk))
    skip('this user may not mount an ext4 file system')
  onTestFinished(() => void run('umount', '-l', disk))
  const outcome = await underLoad(on(disk), TIMES, async (load) => {
    // As after an error of the device: what is open for writing cannot be written any more.
    execFileSync('mount', ['-o', 'remount,abort', disk])
    await untilReadiness(load, 'read_only')
    await sleep(LASTS_MS)
    for (const { pid, ended } of [...load.services]) {
      process.kill(pid, 'SIGKILL')
      await ended
    }
    execFileSync('umount', [disk])
    run('fsck.ext4', '-y', image)
    execFileSync('mount', ['-o', 'loop', image, disk])
    if (!remount(disk, 'ro')) throw new Error('the file system cannot be made read-only')
    await load.start()
    await untilReadiness(load, 'read_only')
    await sleep(LASTS_MS)
    if (!remount(disk, 'rw')) throw new Error('the file system cannot be written again')
    await untilReadiness(load, 'ok')
  })
  tell(task, { world: WORLD, ...outcome })
})

test('the folder of pictures is not writable for 5 s', async ({ task, skip }) => {
  if (RIGHTS_COUNT.length > 0 && !run('setpriv', '--version')) skip('root needs setpriv to lose its rights')
  const place = join(await makeFolder(), 'data')
  const images = join(place, 'images')
  const installed = async (more: Record<string, string>) => ({
    ...(await newInstallation({ DATA_DIR: place, ...more })),
    wrapper: RIGHTS_COUNT,
  })
  const allow = async (mode: number) => {
    const projects = (await readdir(images, { withFileTypes: true })).filter((entry) => entry.isDirectory())
    for (const path of [...projects.map(({ name }) => join(images, name)), images]) await chmod(path, mode)
  }
  onTestFinished(() => allow(0o700))
  const outcome = await underLoad(installed, TIMES, async (load) => {
    await allow(0o500)
    await untilReadiness(load, 'read_only')
    await sleep(LASTS_MS)
    await allow(0o700)
    await untilReadiness(load, 'ok')
  })
  tell(task, { world: WORLD, ...outcome })
})
