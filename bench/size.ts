import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../test/support/servers/ports.ts'
import { askOnce, sustain } from './load.ts'
import { megabytesOf, spawnNode, startProofsheet, stop } from './processes.ts'
import { compare, median } from './statistics.ts'
import type { Figure } from './targets.ts'
import type { World } from './worlds.ts'

/** Rows 7 and 9: what a store of a million jobs costs whoever reads one root, and whoever starts the service. */
export async function measureSize(world: World): Promise<Figure[]> {
  const [small, million] = [await world.seeded('small'), await world.seeded('million')]
  // Nothing is kept, and a thousand roots are asked for in turn: it is the looking up that is compared.
  const services = await Promise.all(
    [million, small].map(({ env }) => startProofsheet({ ...env, CACHE_BYTES: '0' })),
  )
  const [large, little] = [million, small].map(({ roots }, index) =>
    roots.map((root) => ({ url: (services[index]?.url ?? '') + root })),
  )
  const rates = await compare(
    async () => 1 / (await sustain(large ?? [])).perSecond,
    async () => 1 / (await sustain(little ?? [])).perSecond,
  )
  await Promise.all(services.map((service) => service.stop()))
  const starts: { seconds: number; memory: number }[] = []
  for (let round = -1; round < 5; round++) {
    const started = await start(million.env, million.roots[0] ?? '')
    if (round >= 0) starts.push(started)
  }
  return [
    {
      row: '7',
      world: world.name,
      value: rates.ratio,
      detail: `${Math.round(1 / rates.ours)}/s and ${Math.round(1 / rates.theirs)}/s, nothing kept; ${million.bytesPerJob.toFixed(0)} bytes a job in the database`,
    },
    {
      row: '9a',
      world: world.name,
      value: median(starts.map(({ seconds }) => seconds)),
      detail: starts.map(({ seconds }) => seconds.toFixed(2)).join(', '),
    },
    {
      row: '9b',
      world: world.name,
      value: median(starts.map(({ memory }) => memory)),
      detail: starts.map(({ memory }) => memory.toFixed(0)).join(', '),
    },
  ]
}

/** From the start of the process until it has answered. */
async function start(
  env: Record<string, string>,
  path: string,
): Promise<{ seconds: number; memory: number }> {
  const port = String(await freePort())
  const began = performance.now()
  const child = spawnNode('../bin/proofsheet.js', ['serve'], { LOG_LEVEL: 'warn', ...env, PORT: port })
  child.stdout?.resume()
  for (;;) {
    const answer = await askOnce({ url: `http://127.0.0.1:${port}${path}` }).catch(() => undefined)
    if (answer?.status === 200) break
    await sleep(2)
  }
  const seconds = (performance.now() - began) / 1000
  await sleep(1_000)
  const memory = megabytesOf(child).now
  await stop(child)
  return { seconds, memory }
}
