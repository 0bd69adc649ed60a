import { createHash } from 'node:crypto'
import { openPool, type PoolLimits } from './pool.ts'

/** What pg-boss takes for a schema has 50 characters at most; it does not tell upper case from lower. */
const PLAIN = /^[a-z0-9_]{1,33}$/
/** Its own, and few: asking for work must not take a connection from those who read. */
const CONNECTIONS = 3

/** Connections to the same database for pg-boss, and the schema for its tables: beside ours, and named after it. */
export async function openBossDatabase(url: string, limits: PoolLimits) {
  const pool = openPool(url, { ...limits, connections: Math.min(CONNECTIONS, limits.connections) })
  try {
    const [[current] = []] = await pool.query('select current_schema()')
    const schema = queueSchema(String(current))
    const executeSql = async (text: string, values?: unknown[]) => {
      const connection = await pool.connect()
      // It sends whole transactions as one text: one that failed is still open, and goes with its connection.
      let discard = true
      try {
        const result = await connection.query(values ? { text, values } : { text })
        discard = false
        return result
      } finally {
        connection.release(discard)
      }
    }
    return { schema, database: { executeSql }, release: pool.close }
  } catch (error) {
    await pool.close()
    throw error
  }
}

/** Never the same for two of ours: who takes another's captures knows none of them, and they would be lost. */
function queueSchema(own: string): string {
  if (own === 'public') return 'proofsheet_queue'
  const name = PLAIN.test(own) ? own : createHash('sha256').update(own).digest('hex').slice(0, 32)
  return `proofsheet_queue_${name}`
}
