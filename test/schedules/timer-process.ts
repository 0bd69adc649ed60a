import { pino } from 'pino'
import { readConfig } from '../../src/config/config.ts'
import { ScheduleRuns } from '../../src/schedules/runs.ts'
import { openTimer } from '../../src/schedules/timer.ts'
import { createKeyRing } from '../../src/secrets/key-ring.ts'
import { openStorage } from '../../src/service/storage.ts'

// A process that runs schedules like a service. Their pages are not captured: that would cost more than all the rest.

const config = readConfig(process.env, { serving: false })
const { store, secretKeys } = await openStorage(config)
const log = pino({ level: 'error' })
const clock = () => Date.now()
const runs = new ScheduleRuns(store, {
  ...{ ring: createKeyRing(secretKeys), limits: config.limits, log, clock, spreadMs: 500 },
  mostWaiting: 1_000_000,
  findTemplate: async () => undefined,
  onQueued: () => {},
})
openTimer(store, { runs, log, clock })
process.stdout.write('running\n')
setInterval(() => {}, 60_000)
