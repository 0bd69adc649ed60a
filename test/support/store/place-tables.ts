import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite.ts'

let made: Promise<Buffer> | undefined

/** Copies a database with the empty tables of a store: creating them takes ten times as long. */
export async function placeTables(path: string): Promise<string> {
  made ??= makeTables()
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(path, await made, { mode: 0o600, flag: 'wx' })
  return path
}

async function makeTables(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'proofsheet-tables-'))
  const path = join(folder, 'proofsheet.db')
  await (await openSqliteStore(path)).close()
  const bytes = await readFile(path)
  await rm(folder, { recursive: true })
  return bytes
}
