import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askOnce, sustain } from './load.ts'
import { startWithClock } from './processes.ts'
import { withWorlds } from './worlds.ts'

const HELP = `npm run profile -- <world> <what>     where the time of the service goes, by package, file or system call
  world: sqlite, postgres      what: root, unchanged (304), list (new addresses each time), again
`
const WINDOW_MS = 12 * 3_600_000
const SHOWN = 24

interface Profile {
  readonly nodes: { id: number; callFrame: { functionName: string; url: string } }[]
  readonly samples: number[]
  readonly timeDeltas: number[]
}

const [world = '', what = ''] = process.argv.slice(2)
if (!['sqlite', 'postgres'].includes(world) || !['root', 'unchanged', 'list', 'again'].includes(what)) {
  process.stderr.write(HELP)
  process.exit(2)
}

const folder = await mkdtemp(join(tmpdir(), 'proofsheet-profile-'))
try {
  await withWorlds(async (worlds) => {
    const chosen = worlds.find(({ name }) => name.toLowerCase().startsWith(world))
    if (!chosen) throw new Error(HELP)
    const { env, list, roots } = await chosen.seeded('small')
    const service = await startWithClock(env, ['--cpu-prof', `--cpu-prof-dir=${folder}`])
    const url = service.url
    if (what === 'root') await sustain([{ url: url + roots[0] }], { seconds: 6 })
    else if (what === 'unchanged') {
      const headers = { 'If-None-Match': '*' }
      await sustain([{ url: url + roots[0], headers }], { seconds: 6, status: 304 })
    } else {
      for (let round = 1; round <= 40; round++) {
        if (what === 'list') {
          await service.setAhead(round * WINDOW_MS)
        }
        await askOnce({ url: url + list })
      }
    }
    await service.stop()
  })
  const [file = ''] = await readdir(folder)
  print(JSON.parse(await readFile(join(folder, file), 'utf8')))
} finally {
  await rm(folder, { recursive: true, force: true })
}

function print({ nodes, samples, timeDeltas }: Profile): void {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  const times = new Map<string, number>()
  for (const [index, id] of samples.entries()) {
    const name = names.get(id) ?? ''
    if (name !== '(idle)') times.set(name, (times.get(name) ?? 0) + (timeDeltas[index] ?? 0))
  }
  const total = [...times.values()].reduce((sum, time) => sum + time, 0)
  const sorted = [...times].sort(([, a], [, b]) => b - a).slice(0, SHOWN)
  for (const [name, time] of sorted) {
    process.stdout.write(`${((100 * time) / total).toFixed(1).padStart(5)} %  ${name}\n`)
  }
}

/** A package, a file of ours or of Node's, or what the system does for us. */
function nameOf({ functionName, url }: Profile['nodes'][number]['callFrame']): string {
  const [, library] = /\/node_modules\/(@[^/]+\/[^/]+|[^/]+)/.exec(url) ?? []
  if (library) return library
  if (url.startsWith('file:')) return url.replace(/^.*\/(src|bench)\//, '$1/')
  return url || functionName || '(native)'
}
