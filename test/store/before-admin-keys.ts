import { expect } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { makeProject } from '../support/store/results.ts'
import { BEFORE_DELIVERING } from './before-delivering.ts'
import { newKey } from './keys-suite.ts'

const BEFORE_ENDED_SESSIONS = `drop table ended_sessions; drop table session_days;
  delete from kysely_migration where name = '0017-ended-sessions';`

/** Takes a database back to before migration 16. */
export const BEFORE_ADMIN_KEYS = {
  SQLite: `${BEFORE_DELIVERING} ${BEFORE_ENDED_SESSIONS} alter table keys rename to keys_after; drop index keys_oldest_first; drop index keys_of_project;
    create table keys (key_id text not null primary key, project_id text not null references projects (project_id),
      hash text not null unique, scope text not null check (scope in ('read', 'write')), label text not null,
      created bigint not null, revoked bigint);
    insert into keys select * from keys_after; drop table keys_after;
    delete from kysely_migration where name = '0016-admin-keys';`,
  PostgreSQL: `${BEFORE_DELIVERING} ${BEFORE_ENDED_SESSIONS} drop index keys_oldest_first; drop index keys_of_project;
    alter table keys alter column project_id set not null, drop constraint keys_scope_check,
      add constraint keys_scope_check check (scope in ('read', 'write'));
    delete from kysely_migration where name = '0016-admin-keys';`,
} as const

export async function expectKeysStay(
  open: () => Promise<Store>,
  goBack: () => void | Promise<void>,
): Promise<void> {
  const before = await open()
  const key = newKey(await makeProject(before), { scope: 'write' })
  await before.createKey(key)
  await before.createKey(newKey(key.projectId, { created: 6, revoked: 8 }))
  const keys = await before.listKeys()
  await before.close()
  await goBack()
  const store = await open()
  expect(await store.listKeys()).toEqual(keys)
  const admin = newKey(undefined)
  await store.createKey(admin)
  expect(await store.findKey(admin.hash)).toMatchObject({ scope: 'admin', projectId: undefined })
  await store.removals.removeProject(key.projectId ?? '', 9).next()
  expect(await store.listKeys()).toEqual([admin])
}
