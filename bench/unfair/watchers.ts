import { setTimeout as sleep } from 'node:timers/promises'
import { paths, pathTo } from '../../src/contract/paths.ts'
import { makeKey } from '../../test/support/store/results.ts'
import { median } from '../statistics.ts'
import { changesOf } from './change-pages.ts'
import { startChild } from './children.ts'
import { toProbe } from './measure.ts'
import type { Probed, ProbeOrder } from './prober.ts'
import { toGet } from './requests.ts'
import { startService } from './service.ts'
import { describeAnswers, type Special } from './table.ts'
import { megabytesOf, processorSecondsOf, watchMemory } from './usage.ts'
import type { Heard, WaitOrder, WatchOrder } from './watcher.ts'
import { addWaitingRoot } from './world.ts'

const KEYS = 10
const PAGES = 100
const CHANGES = 7
const CONNECT_LIMIT_MS = 60_000
const CHANGE_LIMIT_MS = 20_000
/** After this time the garbage of connecting is collected. */
const SETTLE_MS = 15_000
/** Two heartbeats of the streams. */
const STILL_S = 80
/** The share of a core while nothing changes. */
const TARGET_SHARE = 0.02

/** Many clients watch one running root: what they cost, and when the last of them gets a change. */
export const watchers = (many: number): Special => ({
  id: 'watchers',
  what: `${many.toLocaleString('en')} event streams of one root of ${PAGES} pages, ${KEYS} keys`,
  async measure(tree, world) {
    const { env, storage, attacker } = world
    const { projectId } = attacker
    const rootId = await addWaitingRoot(storage, attacker, { pages: PAGES, addressBytes: 80 })
    const root = { projectId, rootId }
    const change = changesOf(storage, root)
    await change()
    const version = async () => (await storage.store.captures.findVersions([root]))[0] ?? 0
    const keys: string[] = []
    for (let key = 0; key < KEYS; key++) keys.push((await makeKey(storage.store, projectId)).secret)
    const service = await startService(tree, {
      ...env,
      CAPTURE_CONCURRENCY: '0',
      // One more connection is for the victim.
      MAX_CONNECTIONS: String(many + 1_000),
    })
    const prober = startChild<ProbeOrder, Probed>('prober.ts')
    const child = startChild<WatchOrder | WaitOrder, Heard>('watcher.ts')
    const setup = { world, service }
    try {
      const quiet = await prober.ask(toProbe(setup, 2_500))
      const idle = megabytesOf(service.pid)
      const memory = watchMemory(service.pid)
      const url = service.url + pathTo(paths.watchStatus, projectId, rootId)
      await child.ask({
        url,
        connections: many,
        requests: keys.map((key) => toGet(url, key)),
        from: Array.from({ length: 100 }, (_, index) => `127.0.1.${index + 1}`),
      })
      const first = await child.ask({ event: await version(), limitMs: CONNECT_LIMIT_MS })
      await sleep(SETTLE_MS)
      const held = megabytesOf(service.pid) - idle
      const before = processorSecondsOf(service.pid)
      await sleep(STILL_S * 1_000)
      const share = (processorSecondsOf(service.pid) - before) / STILL_S
      const probing = prober.ask(toProbe(setup, CHANGES * 1_000))
      const times: number[] = []
      let fewest = first.heard
      for (let changes = 1; changes <= CHANGES; changes++) {
        const began = Date.now()
        await change()
        const { heard, lastAt } = await child.ask({ event: await version(), limitMs: CHANGE_LIMIT_MS })
        times.push(heard < many ? CHANGE_LIMIT_MS : lastAt - began)
        fewest = Math.min(fewest, heard)
        if (fewest < many) break
        await sleep(200)
      }
      const during = await probing
      memory.stop()
      const end = await service.end()
      const [last, worst] = [median(times), Math.max(...times)]
      return {
        note: [
          `+${Math.round(held)} MB when all had connected, +${Math.round(memory.peak() - idle)} MB at most`,
          `${(share * 100).toFixed(1)} % of a core over ${STILL_S} s while nothing changes`,
          `the last has heard of a change after ${last} ms, ${worst} ms at most (500 ms of it may be until the service looks)`,
          `${fewest.toLocaleString('en')} heard of every change; answered ${describeAnswers(first.answers)}`,
          `one root p99 ${quiet.root.p99.toFixed(1)} → ${during.root.p99.toFixed(1)} ms, /healthz at most ${during.health.worst.toFixed(0)} ms`,
          `SIGTERM ${end.seconds.toFixed(1)} s, ${end.code}`,
        ].join('; '),
        over: [...(share > TARGET_SHARE ? ['CPU'] : []), ...(fewest < many ? ['not all heard'] : [])],
        figures: { held, peak: memory.peak() - idle, share, times, fewest, quiet, during, end },
      }
    } finally {
      await child.stop()
      await prober.stop()
      await service.kill()
    }
  },
})
