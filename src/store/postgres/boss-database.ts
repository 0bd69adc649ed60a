import { openPool, type PoolLimits } from './pool.ts'

/** The longest name that pg-boss takes for a schema. */
const MAX_SCHEMA = 50
/** Its own, and few: asking for work must not take a connection from those who read. */
const CONNECTIONS = 3

/** Connections to the same database for pg-boss, and the schema for its tables: beside ours, and named after it. */
export async function openBossDatabase(url: string, limits: PoolLimits) {
  const pool = openPool(url, { ...limits, connections: Math.min(CONNECTIONS, limits.connections) })
  try {
    const [[current] = []] = await pool.query('select current_schema()')
    const own = String(current).replaceAll(/\W/g, '_')
    const schema = `${own === 'public' ? 'proofsheet' : own}_queue`.slice(0, MAX_SCHEMA)
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
