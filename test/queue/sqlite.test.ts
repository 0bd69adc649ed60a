import { join } from 'node:path'
import { makeFolder } from '../support/workspace.ts'
import { queueSuite } from './queue-suite.ts'

queueSuite('SQLite', async () => ({ DATA_DIR: join(await makeFolder(), 'data') }))
