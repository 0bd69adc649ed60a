export type * from './rows.ts'
export type { Store } from './sql/sql-store.ts'
export type { OwnedTable } from './sql/tables.ts'
