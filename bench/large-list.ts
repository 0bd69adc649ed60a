import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { askOnce, sustain } from './load.ts'
import { spawnNode, startProofsheet, stop } from './processes.ts'
import { compare, median } from './statistics.ts'
import type { Figure } from './targets.ts'
import type { World } from './worlds.ts'

/** Rows 6 and 8: what a list of 100,000 jobs costs in memory, in patience and for others; and its 304. */
export async function measureLargeList(world: World): Promise<Figure[]> {
  const seeded = await world.seeded('large')
  return [
    await measureMemory(world, seeded.env, seeded.list),
    ...(await measureOthers(world, seeded.env, seeded.list, seeded.shortList, seeded.roots)),
  ]
}

async function measureMemory(world: World, env: Record<string, string>, list: string): Promise<Figure> {
  const above: number[] = []
  let bytes = 0
  for (let round = 0; round < 5; round++) {
    const service = await startProofsheet(env)
    await askOnce({ url: `${service.url}/readyz` })
    await sleep(500)
    const idle = service.memory().now
    bytes = (await askOnce({ url: service.url + list })).bytes
    above.push(service.memory().peak - idle)
    await service.stop()
  }
  return {
    row: '6a',
    world: world.name,
    value: median(above),
    detail: `${Math.min(...above).toFixed(0)} to ${Math.max(...above).toFixed(0)} MB, list of ${(bytes / 1e6).toFixed(0)} MB`,
  }
}

async function measureOthers(
  world: World,
  env: Record<string, string>,
  list: string,
  shortList: string,
  roots: readonly string[],
): Promise<Figure[]> {
  const service = await startProofsheet(env)
  const root = service.url + (roots[0] ?? '')
  const firstByte = async (url: string) => (await askOnce({ url })).firstByteMs
  const first = await compare(
    () => firstByte(service.url + list),
    () => firstByte(service.url + shortList),
  )
  const p99 = async () => (await sustain([{ url: root }], { seconds: 2 })).p99
  const waiting = await compare(async () => {
    const reader = spawnNode('read-list.ts', [service.url + list])
    await once(reader, 'message')
    const during = await p99()
    await stop(reader)
    return during
  }, p99)

  const etagOf = async (url: string) => (await fetch(url, { method: 'HEAD' })).headers.get('etag') ?? ''
  const rate = async (url: string, etag: string) =>
    (await sustain([{ url, headers: { 'If-None-Match': etag } }], { status: 304 })).perSecond
  const [rootEtag, listEtag] = [await etagOf(root), await etagOf(service.url + list)]
  const unchanged = await compare(
    () => rate(root, rootEtag),
    () => rate(service.url + list, listEtag),
  )
  await service.stop()
  return [
    {
      row: '6b',
      world: world.name,
      value: first.ratio,
      detail: `${first.ours.toFixed(2)} ms, ten jobs ${first.theirs.toFixed(2)} ms`,
    },
    {
      row: '6c',
      world: world.name,
      value: waiting.ratio,
      detail: `${waiting.ours.toFixed(1)} ms, without ${waiting.theirs.toFixed(1)} ms, 32 connections`,
    },
    {
      row: '8',
      world: world.name,
      value: unchanged.ratio,
      detail: `list ${Math.round(unchanged.theirs)}/s, one root ${Math.round(unchanged.ours)}/s`,
    },
  ]
}
