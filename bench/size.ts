import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { rootPath } from '../src/contract/paths.ts'
import { openPostgresStore } from '../src/store/postgres/postgres.ts'
import { asAdmin, startPostgres } from '../test/support/postgres.ts'
import { makeProject } from '../test/support/results.ts'
import { S3_CREDENTIALS } from '../test/support/s3.ts'
import { seedRows } from '../test/support/seed.ts'
import { requestsPerSecond } from './load.ts'
import { startProofsheet } from './processes.ts'

const SMALL = { roots: 1_000, jobsPerRoot: 10 }
const LARGE = { roots: 100_000, jobsPerRoot: 10 }

interface Seeded {
  readonly env: Record<string, string>
  readonly projectId: string
  readonly rootId: string
  readonly bytesPerJob: number
}

/** One root out of a large store beside one out of a small store, and what a job takes on the disk. */
export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'proofsheet-bench-'))
  const postgres = await startPostgres()
  const engines = {
    SQLite: (size: typeof SMALL) => seedSqlite(join(folder, String(size.roots)), size),
    PostgreSQL: async (size: typeof SMALL) => seedPostgres(await postgres.newDatabase(), size),
  }
  try {
    process.stdout.write('One root of 10 jobs, out of 10,000 jobs and out of 1,000,000\n')
    for (const [name, seed] of Object.entries(engines)) {
      const [small, large] = [await seed(SMALL), await seed(LARGE)]
      const services = [await startProofsheet(small.env), await startProofsheet(large.env)] as const
      const urls = [small, large].map(
        ({ projectId, rootId }, index) => (services[index]?.url ?? '') + rootPath(projectId, rootId),
      )
      const rates: number[][] = [[], []]
      for (let round = 0; round < 5; round++) {
        for (const [index, url] of urls.entries())
          rates[index]?.push(await requestsPerSecond(url, { seconds: 2 }))
      }
      const [few = 0, many = 0] = rates.map((each) => each.toSorted((a, b) => a - b)[2])
      process.stdout.write(
        `  ${name.padEnd(12)} ${few.toFixed(0)}/s and ${many.toFixed(0)}/s, ${(few / many).toFixed(2)} × the time; ` +
          `${large.bytesPerJob.toFixed(0)} bytes for each job, with its indexes and its share of the root\n`,
      )
      await Promise.all(services.map((service) => service.stop()))
    }
  } finally {
    await postgres.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function seedSqlite(dataDir: string, size: typeof SMALL): Promise<Seeded> {
  const projectId = await seedRows(dataDir, size)
  const database = new DatabaseSync(join(dataDir, 'proofsheet.db'))
  const [root, pages] = [
    database.prepare('select root_id from roots order by created limit 1').get(),
    database.prepare('select page_count * page_size as bytes from pragma_page_count, pragma_page_size').get(),
  ]
  database.close()
  return {
    env: { DATA_DIR: dataDir },
    projectId,
    rootId: String(root?.['root_id']),
    bytesPerJob: Number(pages?.['bytes']) / (size.roots * size.jobsPerRoot),
  }
}

async function seedPostgres(url: string, { roots, jobsPerRoot }: typeof SMALL): Promise<Seeded> {
  const store = await openPostgresStore(url, { connections: 1, waitMs: 5_000, statementMs: 60_000 })
  const projectId = await makeProject(store)
  await asAdmin(
    url,
    `insert into roots select '${projectId}', gen_random_uuid(), 1700000000000 + n, n::text, ${jobsPerRoot}, repeat('d', 64)
       from generate_series(1, ${roots}) n;
     insert into jobs select project_id, root_id, p, gen_random_uuid(),
         'https://example.com/section-' || p || '/page-' || revision || '?variant=default', 'Page ' || revision || '.' || p,
         15000, created, '/tmp', 1200, 720
       from roots, generate_series(0, ${jobsPerRoot - 1}) p;
     analyze`,
  )
  const [{ rootId = '' } = {}] = await store.pageRoots(projectId, { limit: 1 })
  const [{ bytes }] = await asAdmin<[{ bytes: string }]>(
    url,
    `select pg_total_relation_size('jobs') + pg_total_relation_size('roots') as bytes`,
  )
  await store.close()
  return {
    env: {
      DATABASE_URL: url,
      IMAGES_URL: 's3://shots?endpoint=http://127.0.0.1:1&region=eu-central-1',
      ...S3_CREDENTIALS,
    },
    projectId,
    rootId,
    bytesPerJob: Number(bytes) / (roots * jobsPerRoot),
  }
}
