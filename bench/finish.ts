import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Finish } from '../src/contract/picture-sizes.ts'
import { finishPicture } from '../src/picture/finish.ts'
import { readPicture } from '../src/picture/picture.ts'
import { findBenchBrowser, LIMITS, openOurs } from './real-pages/cameras.ts'
import { median } from './statistics.ts'

// What finishing costs: the time of a capture with each option, against one without any. Each round takes one picture; all
// options are done to the same one.

const ROUNDS = 5
const WIDTH = 1280
const PICTURES = [
  { what: 'window, 1280 × 800', fullPage: false },
  { what: 'full page, 1280 × 8000', fullPage: true },
]
const ROW_HEIGHT = 400
const ROWS = 20

const round = { effect: 'roundcorners', options: { radius: 12 } } as const
const OPTIONS: Readonly<Record<string, Finish>> = {
  area: { area: 'upperhalf' },
  style: { style: 'macos-simple-dark' },
  'blur 3': { effects: [{ effect: 'blur', options: { radius: 3 } }] },
  'blur 20': { effects: [{ effect: 'blur', options: { radius: 20 } }] },
  'resize to half': { effects: [{ effect: 'resize', options: { width: WIDTH / 2 } }] },
  roundcorners: { effects: [round] },
  margin: { effects: [{ effect: 'margin', options: { margin: 40 } }] },
  shadow: { effects: [{ effect: 'shadow' }] },
  'style, roundcorners, shadow': { style: 'macos-simple-dark', effects: [round, { effect: 'shadow' }] },
}

export async function measureFinish(): Promise<void> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const camera = openOurs(await findBenchBrowser(), port, 1)
  say(`| picture | option | time against none | ms for it | ms for the capture |\n|---|---|---|---|---|`)
  for (const { what, fullPage } of PICTURES) {
    const take = () => camera.take({ url: `http://127.0.0.1:${port}/`, width: WIDTH, height: 800, fullPage })
    // The first picture starts the browser.
    await take()
    const ratios = new Map<string, { ratio: number; ms: number; whole: number }[]>()
    for (let turn = 0; turn < ROUNDS; turn++) {
      const shot = await timed(take)
      const read = await timed(() => readPicture(shot.value, LIMITS.pixels))
      for (const [name, finish] of Object.entries(OPTIONS)) {
        const ms = (await timed(() => finishAndRead(shot.value, finish))).ms - read.ms
        const whole = shot.ms + read.ms
        ratios.set(name, [...(ratios.get(name) ?? []), { ratio: (whole + ms) / whole, ms, whole }])
      }
    }
    for (const [name, all] of ratios) {
      const [ratio, ms, whole] = (['ratio', 'ms', 'whole'] as const).map((key) =>
        median(all.map((each) => each[key])),
      )
      say(`| ${what} | ${name} | ${ratio?.toFixed(2)} × | ${ms?.toFixed(0)} | ${whole?.toFixed(0)} |`)
    }
  }
  await camera.close()
  server.close()
}

async function finishAndRead(png: Buffer, finish: Finish): Promise<void> {
  const rules = { maxPixels: LIMITS.pixels, signal: new AbortController().signal }
  await readPicture(await finishPicture(png, finish, rules), LIMITS.pixels)
}

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const began = performance.now()
  const value = await work()
  return { value, ms: performance.now() - began }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Rows of text beside a picture. */
const PAGE = `<!doctype html><title>Rows</title><style>
  body { margin: 0; font: 18px/1.5 sans-serif }
  section { box-sizing: border-box; height: ${ROW_HEIGHT}px; padding: 40px; display: flex; gap: 40px; overflow: hidden }
  section:nth-child(even) { background: #f3f1ea }
  i { flex: none; width: 480px; border-radius: 12px; background: conic-gradient(#2b5876, #f7971e, #4e4376, #2b5876) }
</style>${`<section><i></i><p>${'A window seat, a thermos of coffee, and the coast of another country before breakfast. '.repeat(9)}</p></section>`.repeat(ROWS)}`
