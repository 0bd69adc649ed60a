import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises'
import { freemem } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

// Databases and pictures of tests are in memory if there is room: the suite took 573 s instead of 704 s. Tests that need a
// real disk (syncs, a full disk, a power cut) create it themselves.

const MEMORY = '/dev/shm'
/** Node's compile cache. */
const COMPILED = 'node-compile-cache'
const ROOM = 4 * 2 ** 30
const FREE_MEMORY = 2 * ROOM

/** Runs before all other preparations, which create their folders here. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['TMPDIR'] !== undefined || !(await hasRoom())) return undefined
  const folder = await mkdtemp(join(MEMORY, 'proofsheet-'))
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  // PostgreSQL may run as another user.
  await chmod(folder, 0o755)
  if (!(await runsPrograms(folder))) {
    await remove()
    return undefined
  }
  process.env['TMPDIR'] = folder
  return async () => {
    delete process.env['TMPDIR']
    const left = (await readdir(folder)).filter((name) => name !== COMPILED)
    if (left.length === 0 || process.env['CI']) await remove()
    else process.stderr.write(`kept for inspection, in memory: ${folder}\n`)
  }
}

async function hasRoom(): Promise<boolean> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize >= ROOM && freemem() >= FREE_MEMORY
}

/** Some systems forbid that. */
async function runsPrograms(folder: string): Promise<boolean> {
  const program = join(folder, 'program')
  await writeFile(program, '#!/bin/sh\n', { mode: 0o755 })
  const runs = await promisify(execFile)(program).then(
    () => true,
    () => false,
  )
  await rm(program)
  return runs
}
