import { join } from 'node:path'
import { makeFolder } from '../../support/processes/workspace.ts'
import { placeTables } from '../../support/store/place-tables.ts'
import { queueSuite } from './queue-suite.ts'

queueSuite('SQLite', async () => {
  const DATA_DIR = join(await makeFolder(), 'data')
  await placeTables(join(DATA_DIR, 'proofsheet.db'))
  return { DATA_DIR }
})
