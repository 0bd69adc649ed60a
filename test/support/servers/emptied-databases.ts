import { afterAll, onTestFinished } from 'vitest'
import { asAdmin, dropDatabase } from './postgres.ts'
import type { SharedPostgres } from './shared-postgres.ts'

/** With larger files than this, an emptied database is slower than a new one. */
const FEW_BYTES = 1_000_000

/**
 * Databases with empty tables, for a file of tests. Emptying one takes a fifth of the time of creating one: a test
 * gets one that an earlier test used, unless that test has changed more than rows.
 */
export function useEmptied(databases: Pick<SharedPostgres, 'newDatabase'>): () => Promise<string> {
  const unused: { url: string; tables: Tables }[] = []
  afterAll(async () => {
    for (const { url } of unused) await dropDatabase(url)
  })
  return async () => {
    const url = unused[0]?.url ?? (await databases.newDatabase())
    const tables = unused.shift()?.tables ?? (await readTables(url))
    onTestFinished(async ({ task }) => {
      const isAsBefore =
        task.result?.state !== 'fail' && tables.names.length > 0 && (await empty(url, tables))
      if (isAsBefore) unused.push({ url, tables })
      else await dropDatabase(url)
    })
    return url
  }
}

interface Tables {
  readonly names: readonly string[]
  /** Changes with every table, column, index, trigger and setting. */
  readonly shape: string
}

const READ_TABLES = `
  select coalesce(array_agg(relname::text) filter (where relkind = 'r' and relname not like 'kysely%'), '{}') as names,
         coalesce(sum(pg_relation_size(oid)), 0)::int as bytes,
         md5(concat(string_agg(concat_ws(' ', oid, relname, relnatts), ',' order by oid),
                    (select string_agg(oid::text, ',' order by oid) from pg_trigger),
                    (select string_agg(setconfig::text, ',') from pg_db_role_setting
                     where setdatabase = (select oid from pg_database where datname = current_database())),
                    (select string_agg(nspname, ',' order by oid) from pg_namespace where nspname not like 'pg_t%'))) as shape
  from pg_class where relnamespace = 'public'::regnamespace`

async function readTables(url: string): Promise<Tables> {
  const [tables] = await asAdmin<[Tables]>(url, READ_TABLES)
  return tables
}

/** Whether the remaining rows are those that were there before. In one statement, so that tables may refer to each other. */
async function empty(url: string, { names, shape }: Tables): Promise<boolean> {
  const asBefore = `shape = '${shape}' and bytes < ${FEW_BYTES}`
  const deletes = names.map(
    (name) => `"from_${name}" as (delete from "${name}" where (select ${asBefore} from now))`,
  )
  const statement = `with now as (${READ_TABLES}), ${deletes.join(', ')} select ${asBefore} as emptied from now`
  // If a test has left a lock behind, the database is dropped.
  const answer = asAdmin<[{ emptied: boolean }]>(withLockTimeout(url), statement)
  return await answer.then(([{ emptied }]) => emptied).catch(() => false)
}

function withLockTimeout(url: string): string {
  const address = new URL(url)
  address.searchParams.set('options', '-c lock_timeout=5000')
  return address.href.replaceAll('+', '%20')
}
