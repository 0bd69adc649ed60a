import { sustain } from './load.ts'
import { startProofsheet } from './processes.ts'
import { compare } from './statistics.ts'
import type { Figure } from './targets.ts'
import { startBare, type World } from './worlds.ts'

const perSecond = (rate: number) => `${Math.round(rate).toLocaleString('en')}/s`

/** Rows 1 and 2: one root, and its 304, beside bare `node:http`. */
export async function measureOneRoot(world: World, folder: string): Promise<Figure[]> {
  const { env, roots } = await world.seeded('small')
  const path = roots[0] ?? ''
  const service = await startProofsheet(env)
  const bare = await startBare(service, [path], folder)
  const ours = { url: service.url + path }
  const limit = { url: `${bare.url}/0` }
  const whole = await compare(
    async () => (await sustain([ours])).perSecond,
    async () => (await sustain([limit])).perSecond,
  )
  const etag = (await fetch(ours.url)).headers.get('etag') ?? ''
  const headers = { 'If-None-Match': etag }
  const unchanged = await compare(
    async () => (await sustain([{ ...ours, headers }], { status: 304 })).perSecond,
    async () => (await sustain([{ ...limit, headers }], { status: 304 })).perSecond,
  )
  await Promise.all([service.stop(), bare.stop()])
  const describe = (rates: typeof whole) => `${perSecond(rates.ours)}, bare ${perSecond(rates.theirs)}`
  return [
    { row: '1', world: world.name, value: whole.ratio, detail: describe(whole) },
    { row: '2', world: world.name, value: unchanged.ratio, detail: describe(unchanged) },
  ]
}
