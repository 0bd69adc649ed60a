import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { tell } from './outcome.ts'
import { underLoad } from './under-load.ts'
import { useInstallations } from './worlds.ts'

const RESTARTS = 10
const FREEZES = 2
/** Longer than a lease. */
const FROZEN_MS = 30_000

for (const [world, newInstallation] of useInstallations()) {
  test(`rolling restart: another instance starts, then the first is ended, ${world}`, async ({ task }) => {
    const outcome = await underLoad(newInstallation, RESTARTS, async ({ services, start }) => {
      const [first] = services
      await start()
      if (!first) return
      // As a balancer does: a service that is about to stop gets no more requests.
      services.splice(services.indexOf(first), 1)
      await sleep(100)
      process.kill(first.pid, 'SIGTERM')
      await first.ended
    })
    tell(task, { world, ...outcome })
  })

  test(`the service stands still for 30 s, ${world}`, async ({ task }) => {
    const outcome = await underLoad(newInstallation, FREEZES, async ({ services: [first] }) => {
      if (!first) return
      process.kill(first.pid, 'SIGSTOP')
      await sleep(FROZEN_MS)
      process.kill(first.pid, 'SIGCONT')
    })
    tell(task, { world, ...outcome })
  })
}
