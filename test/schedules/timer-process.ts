import { pino } from 'pino'
import { readConfig } from '../../src/config/config.ts'
import { openQueue } from '../../src/queue/open-queue.ts'
import { ScheduleRuns } from '../../src/schedules/runs.ts'
import { openTimer } from '../../src/schedules/timer.ts'
import { createKeyRing } from '../../src/secrets/key-ring.ts'
import { openStorage } from '../../src/storage.ts'
import { PICTURE } from '../support/store/captures.ts'

// A process that runs schedules as a service does. Its pages are captured in no time.

const config = readConfig(process.env, { serving: false })
const { store, secretKeys } = await openStorage(config)
const log = pino({ level: 'error' })
const clock = () => Date.now()
const queue = openQueue(store.captures, {
  ...{ concurrency: 4, log, clock },
  work: async (task) => void (await store.captures.finish(task, PICTURE, clock())),
})
const runs = new ScheduleRuns(store, {
  ...{ ring: createKeyRing(secretKeys), limits: config.limits, log, clock, spreadMs: 500 },
  mostWaiting: 1_000_000,
  findTemplate: async () => undefined,
  onQueued: (root) => queue.wake(root),
})
openTimer(store, { runs, log, clock })
process.stdout.write('running\n')
setInterval(() => {}, 60_000)
