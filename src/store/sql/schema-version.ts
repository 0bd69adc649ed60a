/** The changes that made the tables what they are, in their order. Only ever appended to. */
export const MIGRATIONS = [
  '0001-results',
  '0002-claims',
  '0003-captures',
  '0004-browsing',
  '0005-seen',
  '0006-turns',
  '0007-deaths',
  '0008-identity',
] as const

/** Where those that were made are written down. */
export const MIGRATION_TABLE = 'kysely_migration'

export function isUpToDate(made: readonly unknown[]): boolean {
  return made.length === MIGRATIONS.length && MIGRATIONS.every((name) => made.includes(name))
}
