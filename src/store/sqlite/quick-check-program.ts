import { DatabaseSync } from 'node:sqlite'
import { isDamage } from './errors.ts'

/** Prints what is wrong with a database. Prints nothing if all is well. */
function findDamage(path: string): string {
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
    database.exec('pragma cell_size_check = on')
    const tables = database.prepare(`select name from sqlite_schema where type = 'table'`).all()
    // Table by table: while one is checked, the WAL cannot be cut back.
    for (const { name } of tables) {
      const [first] = database.prepare(`pragma quick_check("${name}")`).all()
      const found = String(first?.['quick_check'])
      if (found !== 'ok') return found
    }
    return ''
  } catch (error) {
    const { errcode = 0, message } = error as Error & { errcode?: number }
    return isDamage(errcode) ? message : ''
  }
}

process.stdout.write(findDamage(process.argv[2] ?? ''))
