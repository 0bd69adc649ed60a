import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { BEFORE_LIFE } from './before-life.ts'

const DROP = `alter table requests drop column options; alter table captures drop column own_options;
  delete from kysely_migration where name = '0009-capture-options';`

/** Takes a database back to before migration 9. */
export const BEFORE_OPTIONS = {
  SQLite: `${BEFORE_LIFE.SQLite} alter table requests add column width integer; alter table requests add column height integer;
    alter table requests add column full_page integer; alter table requests add column tags text;
    alter table requests add column fail_on text;
    update requests set width = options ->> 'width', height = options ->> 'height',
      full_page = options ->> 'fullPage', tags = options -> 'tags', fail_on = options ->> 'failOn';
    ${DROP}`,
  PostgreSQL: `${BEFORE_LIFE.PostgreSQL} drop trigger requests_of_two_versions on requests; drop function requests_of_two_versions(); ${DROP}`,
} as const

const ASKED = [
  {
    columns: `390, 844, 1, '["release","say \\"no\\" \\\\ 🦊 ''"]', 'status'`,
    options: {
      ...{ width: 390, height: 844, fullPage: true },
      ...{ tags: ['release', 'say "no" \\ 🦊 \''], failOn: 'status' },
    },
  },
  { columns: `1200, 720, 0, '[]', null`, options: { width: 1200, height: 720, fullPage: false, tags: [] } },
] as const

/** Two requests of one page, as the version before writes them. `statements`: for both engines. */
export function askAsBefore(projectId: string): { rootIds: [string, string]; statements: string } {
  const rootIds: [string, string] = [randomUUID(), randomUUID()]
  const statements = rootIds.map((rootId, index) => {
    const ids = `'${projectId}', '${rootId}'`
    return `insert into roots (project_id, root_id, created, revision, job_count, digest, claimers)
        values (${ids}, ${index}, 'r', 0, 'd', 0);
      insert into requests (project_id, root_id, version, marks, width, height, full_page, tags, fail_on)
        values (${ids}, 1, '{}', ${ASKED[index]?.columns});
      insert into captures (project_id, root_id, position, url, name, loading_time, state, turn, attempts, due, queued,
        cut, changed) values (${ids}, 0, 'https://example.com/', 'Home', 15000, 'queued', ${index}, 0, 0, 1, 0, 1);`
  })
  return { rootIds, statements: statements.join('\n') }
}

export async function expectAsked(
  { captures, browsing }: Store,
  projectId: string,
  rootIds: readonly string[],
): Promise<void> {
  const summaries = await browsing.requestsOf(projectId, rootIds)
  for (const [index, rootId] of rootIds.entries()) {
    const { options } = ASKED[index] ?? {}
    expect((await captures.findProgress(projectId, rootId))?.options).toEqual(options)
    expect(summaries.get(rootId)?.options).toEqual(options)
    const { tags: _, ...ofPage } = options ?? { tags: [] }
    const task = await captures.takeNext({ now: 1e14, leaseMs: 1, rootId })
    expect(task?.options).toEqual(ofPage)
  }
  const tagged = await browsing.matching(projectId, rootIds, { tag: 'say "no" \\ 🦊 \'' })
  expect([...tagged]).toEqual([rootIds[0]])
}
