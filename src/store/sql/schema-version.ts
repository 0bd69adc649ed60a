/** All changes of the tables, in their order. Changes are only added: a name keeps its meaning. */
const MIGRATIONS = {
  '0001-results': () => import('./migrations/0001-results.ts'),
  '0002-claims': () => import('./migrations/0002-claims.ts'),
  '0003-captures': () => import('./migrations/0003-captures.ts'),
  '0004-browsing': () => import('./migrations/0004-browsing.ts'),
  '0005-seen': () => import('./migrations/0005-seen.ts'),
  '0006-turns': () => import('./migrations/0006-turns.ts'),
  '0007-deaths': () => import('./migrations/0007-deaths.ts'),
  '0008-identity': () => import('./migrations/0008-identity.ts'),
  '0009-capture-options': () => import('./migrations/0009-capture-options.ts'),
  '0010-life': () => import('./migrations/0010-life.ts'),
  '0011-secrets': () => import('./migrations/0011-secrets.ts'),
  '0012-origin': () => import('./migrations/0012-origin.ts'),
  '0013-templates': () => import('./migrations/0013-templates.ts'),
  '0014-schedules': () => import('./migrations/0014-schedules.ts'),
  '0015-webhooks': () => import('./migrations/0015-webhooks.ts'),
  '0016-admin-keys': () => import('./migrations/0016-admin-keys.ts'),
  '0017-ended-sessions': () => import('./migrations/0017-ended-sessions.ts'),
  '0018-delivering': () => import('./migrations/0018-delivering.ts'),
  '0019-pictures': () => import('./migrations/0019-pictures.ts'),
}

/** The table with the changes that were made. */
export const MIGRATION_TABLE = 'kysely_migration'

export function isUpToDate(made: readonly unknown[]): boolean {
  const names = Object.keys(MIGRATIONS)
  return made.length === names.length && names.every((name) => made.includes(name))
}

/** Loaded only to change the tables. */
export async function loadMigrations() {
  return Promise.all(Object.entries(MIGRATIONS).map(async ([name, load]) => ({ name, ...(await load()) })))
}
