import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'

const COLUMNS = ['width', 'height', 'full_page', 'tags', 'fail_on'] as const

/** The JSON that replaces the columns of a row. */
const optionsOf = (row: string) => `concat('{"width":', ${row}.width, ',"height":', ${row}.height,
  ',"fullPage":', case ${row}.full_page when 1 then 'true' else 'false' end, ',"tags":', ${row}.tags,
  case ${row}.fail_on when 'status' then ',"failOn":"status"' else '' end, '}')`

/** The options of a request become one column, and a page gets room for options of its own. */
export async function up(db: Kysely<unknown>, { oldVersionRuns }: Engine): Promise<void> {
  await db.schema
    .alterTable('requests')
    .addColumn('options', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await sql`update requests set options = ${sql.raw(optionsOf('requests'))}`.execute(db)
  await db.schema.alterTable('captures').addColumn('own_options', 'text').execute()
  if (oldVersionRuns) await keepColumns(db)
  else for (const column of COLUMNS) await db.schema.alterTable('requests').dropColumn(column).execute()
}

/**
 * The version before still reads and writes the columns. A trigger fills in the columns or the JSON, whichever is missing. A
 * later migration can drop columns, trigger and function: this version does not use them.
 */
async function keepColumns(db: Kysely<unknown>): Promise<void> {
  await sql`create function requests_of_two_versions() returns trigger language plpgsql as $$
    begin
      if new.options = '' then
        new.options := ${sql.raw(optionsOf('new'))};
      else
        new.width := (new.options::jsonb ->> 'width')::integer;
        new.height := (new.options::jsonb ->> 'height')::integer;
        new.full_page := case new.options::jsonb ->> 'fullPage' when 'true' then 1 else 0 end;
        new.tags := new.options::jsonb ->> 'tags';
        new.fail_on := new.options::jsonb ->> 'failOn';
      end if;
      return new;
    end $$`.execute(db)
  await sql`create trigger requests_of_two_versions before insert on requests
    for each row execute function requests_of_two_versions()`.execute(db)
}
