import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readConfig } from '../src/config/config.ts'
import { rootPath, rootsPath } from '../src/contract/paths.ts'
import { openStorage } from '../src/service/storage.ts'
import { SECRET_KEYS } from '../test/support/servers/keys.ts'
import { asAdmin, startPostgres } from '../test/support/servers/postgres.ts'
import { S3_CREDENTIALS, startS3 } from '../test/support/servers/s3.ts'
import { newWorld } from '../test/support/servers/worlds.ts'
import { addRows, makeProject } from '../test/support/store/results.ts'
import { seedPostgresRows, seedRows } from '../test/support/store/seed.ts'
import { askOnce } from './load.ts'
import { type Serving, startServer } from './processes.ts'

export type WorldName = 'SQLite + disk' | 'PostgreSQL + S3'

/** 10 jobs a root. */
export const SIZES = { small: 1_000, large: 10_000, million: 100_000 }

export interface World {
  readonly name: WorldName
  /** A store with one project of so many roots, made when it is first asked for, and one of a single root. */
  seeded(size: keyof typeof SIZES): Promise<Seeded>
  /** An empty one, for an environment. */
  empty(): Promise<Record<string, string>>
}

export interface Seeded {
  readonly env: Record<string, string>
  readonly list: string
  /** Up to a thousand of them. */
  readonly roots: readonly string[]
  /** The list of ten jobs. */
  readonly shortList: string
  readonly bytesPerJob: number
}

/** Runs with both worlds: their servers are started for it, and everything is taken away afterwards. */
export async function withWorlds(run: (worlds: World[], folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'proofsheet-bench-'))
  const [postgres, s3] = [await startPostgres(), await startS3()]
  const sqlite = (size: keyof typeof SIZES) => seedSqlite(join(folder, size), SIZES[size])
  const server = async (size: keyof typeof SIZES) =>
    await seedPostgres(await postgres.newDatabase(), s3.newPlace(), SIZES[size])
  try {
    const worlds = [
      once('SQLite + disk', sqlite, async () => ({ DATA_DIR: await mkdtemp(join(folder, 'empty-')) })),
      once('PostgreSQL + S3', server, () => newWorld(postgres, s3)),
    ]
    await run(worlds, folder)
  } finally {
    await postgres.close()
    await s3.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function once(
  name: WorldName,
  seed: (size: keyof typeof SIZES) => Promise<Seeded>,
  empty: World['empty'],
): World {
  const made = new Map<string, Promise<Seeded>>()
  return {
    name,
    empty,
    seeded(size) {
      const seeded = made.get(size) ?? seed(size)
      made.set(size, seeded)
      return seeded
    },
  }
}

async function seedSqlite(dataDir: string, roots: number): Promise<Seeded> {
  const projectId = await seedRows(dataDir, { roots, jobsPerRoot: 10 })
  const database = new DatabaseSync(join(dataDir, 'proofsheet.db'))
  const pages = database
    .prepare('select page_count * page_size as bytes from pragma_page_count, pragma_page_size')
    .get()
  database.close()
  return await describe({ DATA_DIR: dataDir }, projectId, Number(pages?.['bytes']) / (roots * 10))
}

async function seedPostgres(url: string, images: string, roots: number): Promise<Seeded> {
  const env = { DATABASE_URL: url, IMAGES_URL: images, SECRET_KEYS, ...S3_CREDENTIALS }
  const storage = await openStorage(readConfig(env))
  const projectId = await makeProject(storage.store)
  await storage.close()
  await seedPostgresRows(url, projectId, { roots, jobsPerRoot: 10 })
  const [{ bytes }] = await asAdmin<[{ bytes: string }]>(
    url,
    `select pg_total_relation_size('jobs') + pg_total_relation_size('roots') as bytes`,
  )
  return await describe(env, projectId, Number(bytes) / (roots * 10))
}

async function describe(
  env: Record<string, string>,
  projectId: string,
  bytesPerJob: number,
): Promise<Seeded> {
  const { store, close } = await openStorage(readConfig(env))
  const short = await makeProject(store)
  await addRows(store, short, { jobs: 10 })
  const heads = await store.pageRoots(projectId, { limit: 100_000 })
  await close()
  const every = heads.length / 1_000
  const some = Array.from({ length: 1_000 }, (_, index) => heads[Math.floor(index * every)]?.rootId ?? '')
  return {
    env,
    list: rootsPath(projectId),
    roots: some.map((rootId) => rootPath(projectId, rootId)),
    shortList: rootsPath(short),
    bytesPerJob,
  }
}

/** A bare server with the bytes that ours answers at these paths. */
export async function startBare(
  service: Serving,
  paths: readonly string[],
  folder: string,
): Promise<Serving> {
  const files = await Promise.all(
    paths.map(async (path, index) => {
      const file = join(folder, `${Math.random()}-${index}.json`)
      await writeFile(file, Buffer.from(await (await fetch(service.url + path)).arrayBuffer()))
      return file
    }),
  )
  const bare = await startServer('bare-server.ts', files)
  for (const index of paths.keys()) await askOnce({ url: `${bare.url}/${index}` })
  return bare
}
