import { pino } from 'pino'
import { openQueue } from '../../src/capture/open-queue.ts'
import { readConfig } from '../../src/config/config.ts'
import { createWayOut } from '../../src/egress/guard.ts'
import { openNotifications } from '../../src/service/notifications.ts'
import { openStorage } from '../../src/service/storage.ts'
import { createSend } from '../../src/webhooks/send.ts'
import { FAILURE, PICTURE } from '../support/store/captures.ts'

// A process that captures and delivers like a service, with shorter times. Captures take no time; every third one fails.

const config = readConfig(process.env, { serving: false })
const storage = await openStorage(config)
const log = pino({ level: 'fatal' })
const clock = () => Date.now()
const reach = createWayOut({ allow: config.webhooks.allow })
const notifications = openNotifications(config, storage, {
  ...{ log, clock, lookMs: 200, leaseMs: 3_000 },
  pauses: Array.from({ length: 200 }, () => 200),
  send: createSend({ reach, timeoutMs: 1_000 }),
})
const { captures } = storage.store
openQueue(captures, {
  ...{ concurrency: 4, log, clock, leaseMs: 2_000 },
  work: async (task) => {
    await captures.finish(task, task.position % 3 === 2 ? FAILURE : PICTURE, clock())
    notifications.wake()
  },
})
notifications.begin('http://127.0.0.1')
process.stdout.write('running\n')
setInterval(() => {}, 60_000)
