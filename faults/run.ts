import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { startVitest } from 'vitest/node'
import { FaultTable } from './reporter.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const SUFFIX = '.fault.ts'
const NAMES = (await readdir(folder)).flatMap((file) =>
  file.endsWith(SUFFIX) ? [file.slice(0, -SUFFIX.length)] : [],
)

const HELP = `npm run faults                    makes every fault that this machine allows, up to 30 minutes
npm run faults -- kill clock      some of them: ${NAMES.join(', ')}
npm run faults -- kill --only 'PostgreSQL'    of those, the rows whose name or world matches

Each row: how often the fault was made, what was acknowledged, and what of it was lost. Exits 1 where anything was.
docs/reliability.md says how each fault is made.
`

const asked = process.argv.slice(2)
const at = asked.indexOf('--only')
const only = at < 0 ? undefined : asked.splice(at, 2)[1]
const unknown = asked.filter((name) => !NAMES.includes(name))
if (unknown.length > 0 || (at >= 0 && only === undefined)) {
  const wrong =
    unknown.includes('--help') || unknown.length === 0 ? '' : `There is no fault ${unknown.join(', ')}.\n`
  process.stderr.write(wrong + HELP)
  process.exit(unknown.includes('--help') ? 0 : 2)
}

const vitest = await startVitest(
  'test',
  asked.map((name) => `${folder}${name}${SUFFIX}`),
  {
    config: false,
    watch: false,
    include: [`faults/**/*${SUFFIX}`],
    globalSetup: ['test/support/runner/build-gallery.ts', 'test/support/servers/shared-postgres.ts'],
    reporters: [new FaultTable()],
    // Two files at a time: much of the time goes by waiting for leases. Nothing is judged by its time.
    maxWorkers: 2,
    // A busy machine takes several times as long.
    testTimeout: 60 * 60_000,
    hookTimeout: 180_000,
    ...(only !== undefined && { testNamePattern: only }),
  },
)
await vitest.close()
