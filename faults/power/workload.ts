import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import sharp from 'sharp'
import type { Camera } from '../../src/camera/camera.ts'
import { CaptureFigures } from '../../src/capture/figures.ts'
import { createWork } from '../../src/capture/worker.ts'
import { readConfig } from '../../src/config/config.ts'
import { importRoot } from '../../src/intake/import-root.ts'
import { createKeyRing } from '../../src/secrets/key-ring.ts'
import { openStorage } from '../../src/service/storage.ts'
import { newRequest, newSeen } from '../../test/support/store/captures.ts'

// Imports and captures. Each acknowledgement is printed to standard output, at the moment when a client would get it. It runs
// in its own process, whose writes are recorded. There is no browser: the camera has its pictures ready.

const [projectId = '', rounds = '0'] = process.argv.slice(2)
const PAGES = 3

const config = readConfig({ PORT: '0', ...process.env })
const { store, images, close } = await openStorage(config)
const say = (line: string) => void writeSync(1, `${line}\n`)

async function makePicture(): Promise<Buffer> {
  const background = { r: Math.random() * 255, g: Math.random() * 255, b: Math.random() * 255 }
  return await sharp({ create: { width: 320, height: 200, channels: 3, background } })
    .png()
    .toBuffer()
}

const camera: Camera = {
  ready: async () => ({ path: '', kind: 'headless shell', origin: '', version: '', sandboxed: true }),
  shoot: async () => ({ bytes: await makePicture(), seen: newSeen() }),
  close: async () => {},
}
const work = createWork({
  camera,
  captures: store.captures,
  images,
  ring: createKeyRing([]),
  limits: config.limits,
  log: { info: () => {}, warn: () => {} },
  clock: Date.now,
  figures: new CaptureFigures(() => 0),
  standstill: { since: () => false },
  onBegun: () => {},
  onEnded: ({ uuid }) => say(`job ${uuid}`),
})

async function importOne(): Promise<void> {
  const picture = await makePicture()
  const job = {
    uuid: undefined,
    url: 'https://example.com/',
    name: 'Home',
    loadingTime: 15_000,
    created: undefined,
    basepath: `/${randomUUID()}`,
    width: undefined,
    height: undefined,
    image: { label: 'a.png', read: async () => picture },
    preview: undefined,
  }
  const intake = { store, images, limits: config.limits, clock: Date.now }
  const { rootId } = await importRoot(intake, projectId, {
    rootId: undefined,
    created: undefined,
    jobs: [job, job],
  })
  say(`root ${rootId}`)
}

async function captureSome(): Promise<void> {
  say(`root ${await store.captures.accept(newRequest(projectId, { pages: PAGES, created: Date.now() }))}`)
  const capture = async () => {
    const task = await store.captures.takeNext({ now: Date.now(), leaseMs: 20_000 })
    if (task) await work(task, new AbortController().signal)
  }
  await Promise.all(Array.from({ length: PAGES }, capture))
}

await store.createProject({ projectId, name: 'x', created: Date.now() })
say('project')
for (let round = 0; round < Number(rounds); round++)
  await Promise.all([importOne(), captureSome(), importOne()])
await close()
