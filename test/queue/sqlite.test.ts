import { join } from 'node:path'
import { makeFolder } from '../support/processes/workspace.ts'
import { queueSuite } from './queue-suite.ts'

queueSuite('SQLite', async () => ({ DATA_DIR: join(await makeFolder(), 'data') }))
