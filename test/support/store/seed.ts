import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite.ts'
import { asAdmin } from '../servers/postgres.ts'
import { makeProject } from './results.ts'

/**
 * Writes many rows in one transaction, past the store, for measuring reads. No pictures. With a longer `variant`
 * in their URLs, fewer jobs make a list of as many bytes.
 */
export async function seedRows(
  dataDir: string,
  { variant = 'default', ...size }: { roots: number; jobsPerRoot: number; variant?: string },
): Promise<string> {
  const path = join(dataDir, 'proofsheet.db')
  const store = await openSqliteStore(path)
  const projectId = await makeProject(store)
  await store.close()
  const database = new DatabaseSync(path)
  const root = database.prepare(
    'insert into roots (project_id, root_id, created, revision, job_count, digest) values (?, ?, ?, ?, ?, ?)',
  )
  const job = database.prepare(
    'insert into jobs (project_id, root_id, position, uuid, url, name, loading_time, created, basepath, width, height) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  database.exec('begin')
  for (let index = 0; index < size.roots; index++) {
    const rootId = randomUUID()
    const created = 1_700_000_000_000 + index
    root.run(projectId, rootId, created, rootId, size.jobsPerRoot, rootId)
    for (let position = 0; position < size.jobsPerRoot; position++) {
      const url = `https://example.com/section-${position}/page-${index}?variant=${variant}`
      job.run(
        projectId,
        rootId,
        position,
        randomUUID(),
        url,
        `Page ${index}.${position}`,
        15_000,
        created,
        '/tmp',
        1200,
        720,
      )
    }
  }
  database.exec('commit')
  database.close()
  return projectId
}

/** The same in PostgreSQL, for an existing project. */
export async function seedPostgresRows(
  url: string,
  projectId: string,
  size: { roots: number; jobsPerRoot: number },
): Promise<void> {
  await asAdmin(
    url,
    `insert into roots
       select '${projectId}', gen_random_uuid(), 1700000000000 + n, substr(md5(n::text), 1, 16), ${size.jobsPerRoot},
              repeat('d', 64)
       from generate_series(1, ${size.roots}) n;
     insert into jobs
       select project_id, root_id, p, gen_random_uuid(),
              'https://example.com/section-' || p || '/page-' || created || '?variant=default',
              'Page ' || created || '.' || p, 15000, created, '/tmp', 1200, 720
       from roots, generate_series(0, ${size.jobsPerRoot - 1}) p;
     analyze`,
  )
}
