import { BEFORE_ADMIN_KEYS } from './before-admin-keys.ts'

const COLUMNS = ['scheduled', 'begun', 'template_id', 'schedule_id', 'occurrence', 'late_ms', 'missed']

const DROP = `drop table deliveries; drop table webhooks; drop table schedules; drop table templates;
  drop index requests_scheduled; drop index requests_occurrence;
  ${COLUMNS.map((column) => `alter table requests drop column ${column};`).join(' ')}
  delete from kysely_migration where name in ('0012-origin', '0013-templates', '0014-schedules', '0015-webhooks');`

/** Takes a database back to before migration 12. */
export const BEFORE_ORIGIN = {
  SQLite: `${BEFORE_ADMIN_KEYS.SQLite} ${DROP}`,
  PostgreSQL: `${BEFORE_ADMIN_KEYS.PostgreSQL} ${DROP}`,
} as const
