import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../src/config/config.ts'
import { rootPath, rootsPath } from '../src/contract/paths.ts'
import { openStorage } from '../src/storage.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { addRows, makeProject } from '../test/support/results.ts'
import { S3_CREDENTIALS } from '../test/support/s3.ts'
import { requestsPerSecond, timeOf } from './load.ts'
import { startProofsheet, startServer } from './processes.ts'

const ROOTS = 1_000
const JOBS = 10

/** Reading, in both worlds, beside a bare server with the same bytes. */
export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'proofsheet-bench-'))
  const postgres = await startPostgres()
  Object.assign(process.env, S3_CREDENTIALS)
  const worlds: Record<string, Record<string, string>> = {
    'SQLite + disk': { DATA_DIR: join(folder, 'data') },
    // Addresses are made without asking S3, so none need be there.
    'PostgreSQL + S3': {
      DATABASE_URL: await postgres.newDatabase(),
      IMAGES_URL: 's3://shots?endpoint=http://127.0.0.1:1&region=eu-central-1',
      ...S3_CREDENTIALS,
    },
  }
  try {
    process.stdout.write(`Reading ${ROOTS} roots × ${JOBS} jobs; one root over 32 connections\n`)
    for (const [name, env] of Object.entries(worlds)) await compare(name, env, folder)
  } finally {
    await postgres.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function compare(name: string, env: Record<string, string>, folder: string): Promise<void> {
  const { projectId, rootId } = await seed(env)
  const service = await startProofsheet(env)
  const idle = service.memory().now
  const [one, list] = [service.url + rootPath(projectId, rootId), service.url + rootsPath(projectId)]
  const files = await Promise.all(
    [one, list].map(async (url, index) => {
      const file = join(folder, `${randomUUID()}-${index}.json`)
      await writeFile(file, Buffer.from(await (await fetch(url)).arrayBuffer()))
      return file
    }),
  )
  const bare = await startServer('bare-server.ts', files)
  const ours = { rate: await requestsPerSecond(one), list: await timeOf(list) }
  const limit = { rate: await requestsPerSecond(`${bare.url}/0`), list: await timeOf(`${bare.url}/1`) }
  const line = (who: string, { rate, list: time }: typeof ours) =>
    `  ${who.padEnd(18)} one root ${rate.toFixed(0).padStart(7)}/s   list ${time.toFixed(0).padStart(6)} ms\n`
  process.stdout.write(
    `${line(name, ours)}${line('  bare node:http', limit)}` +
      `    ratio            one root ${(ours.rate / limit.rate).toFixed(2).padStart(7)}     list ${(ours.list / limit.list).toFixed(1).padStart(6)} ×` +
      `   memory ${idle.toFixed(0)} MB idle, ${service.memory().peak.toFixed(0)} MB at most\n`,
  )
  await Promise.all([service.stop(), bare.stop()])
}

async function seed(env: Record<string, string>): Promise<{ projectId: string; rootId: string }> {
  const storage = await openStorage(readConfig(env))
  const projectId = await makeProject(storage.store)
  let rootId = ''
  for (let index = 0; index < ROOTS; index++) {
    rootId = await addRows(storage.store, projectId, { created: 1_700_000_000_000 + index, jobs: JOBS })
  }
  await storage.close()
  return { projectId, rootId }
}
