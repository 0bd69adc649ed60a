import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { asAdmin } from '../servers/postgres.ts'

const REQUEST =
  '{"screenshotParameter":{"width":1200,"height":720},"urls":[{"url":"https://example.com/","name":"Home"}]}'

interface Many {
  readonly count: number
  /** When the first is due. The others follow, each a second later. */
  readonly due: number
}

const columns = `project_id, schedule_id, name, request, every, overlap, paused, next, due, created, changed, revision, runs,
  late, skipped`

const valuesOf = (due: number) =>
  `'Nightly', '${REQUEST}', '24h', 'skip', 0, ${due} + n * 1000, ${due} + n * 1000, 1700000000000, 1700000000000, 'r', 0, 0, 0`

/** Writes many schedules past the store, for measuring how due ones are found. */
export function seedSchedules(path: string, projectId: string, { count, due }: Many): void {
  const database = new DatabaseSync(path)
  database.function('uuid', () => randomUUID())
  database.exec(
    `with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${count - 1})
     insert into schedules (${columns}) select '${projectId}', uuid(), ${valuesOf(due)} from numbers; analyze`,
  )
  database.close()
}

/** The same in PostgreSQL. */
export async function seedPostgresSchedules(
  url: string,
  projectId: string,
  { count, due }: Many,
): Promise<void> {
  await asAdmin(
    url,
    `insert into schedules (${columns})
       select '${projectId}', gen_random_uuid(), ${valuesOf(due)} from generate_series(0, ${count - 1}) n;
     analyze`,
  )
}
