import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import sharp from 'sharp'
import { openCamera } from '../src/camera/open-camera.ts'
import { readConfig } from '../src/config/config.ts'
import { addressOf, serveSite } from '../src/demo/site.ts'
import { history, newest, sightsOf } from '../src/demo/visits.ts'

// `npm run demo-pictures`: makes the pictures of the demo anew, after its made-up site was changed. Each has at most 256
// colours, which makes it a quarter of the size; the site is drawn with few.

const FOLDER = new URL('demo/pictures/', import.meta.url)

const log = { info: () => {}, warn: () => {} }
await rm(FOLDER, { recursive: true, force: true })
await mkdir(FOLDER)
for (const visit of [...history, newest]) {
  const site = await serveSite(visit.look)
  const camera = await openCamera(readConfig(), { log, fixedAddresses: site.fixedAddresses })
  for (const { page, viewport, file } of sightsOf(visit)) {
    const shot = await camera.shoot(
      { options: viewport.options, url: addressOf(page), loadingTime: 15_000 },
      new AbortController().signal,
    )
    const picture = sharp(shot.bytes).png({ palette: true, dither: 0.4, effort: 10, compressionLevel: 9 })
    await writeFile(new URL(file, FOLDER), await picture.toBuffer())
  }
  await camera.close()
  await site.close()
}

const files = await readdir(FOLDER)
const sizes = await Promise.all(files.map(async (file) => (await stat(new URL(file, FOLDER))).size))
const bytes = sizes.reduce((sum, size) => sum + size, 0)
process.stdout.write(`${files.length} pictures, ${(bytes / 1e6).toFixed(2)} MB\n`)
