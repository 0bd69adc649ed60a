import { glob, mkdir, mkdtemp, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

// `node gallery/build.ts` builds the web page; with `--if-older`, only where it is missing or older than its sources.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const BUILT = join(ROOT, 'dist', 'gallery')
/** Folders as well: theirs is the time when something in them went. */
const SOURCES = ['gallery/**/*', 'src/{client,contract}', 'src/{client,contract}/**/*', 'package-lock.json']
/** What `npm start` loads next. */
const SERVICE = [
  'cli/serve/serve',
  'cli/serve/demo',
  'store/sqlite/sqlite',
  'images/disk/disk',
  'capture/open-queue',
]
const COMPRESSED = /\.(js|css|svg|html)$/

interface BuildOptions {
  readonly ifOlder?: boolean
  readonly quiet?: boolean
  readonly into?: string
}

/** Beside the place where it is served from, and then put there as a whole: half of it would be served for ever. */
export async function buildGallery({
  ifOlder = false,
  quiet = false,
  into = BUILT,
}: BuildOptions = {}): Promise<void> {
  if (ifOlder && (await lastChange()) <= (await changedAt(join(into, 'index.html')))) return
  const { build } = await import('vite')
  const compiled = compileService()
  if (!quiet) process.stdout.write('Building the gallery, which takes a moment…\n')
  const begun = new Date()
  await mkdir(dirname(into), { recursive: true })
  const outDir = await mkdtemp(join(dirname(into), '.gallery-'))
  try {
    const configFile = join(ROOT, 'gallery', 'vite.config.ts')
    await build({ configFile, logLevel: 'warn', build: { outDir, emptyOutDir: true } })
    // Compressed once, here, rather than with every answer.
    for await (const name of glob('**/*', { cwd: outDir })) {
      if (!COMPRESSED.test(name)) continue
      const packed = await promisify(gzip)(await readFile(join(outDir, name)), { level: 9 })
      await writeFile(join(outDir, `${name}.gz`), packed)
    }
    // What was changed in the meantime is newer.
    await utimes(join(outDir, 'index.html'), begun, begun)
    await replace(into, outDir)
    await compiled
  } finally {
    await rm(outDir, { recursive: true, force: true })
  }
}

/** Meanwhile: Node keeps what it has compiled, and so even the first start of the service takes less than a second. */
async function compileService(): Promise<void> {
  module.enableCompileCache()
  await Promise.all(SERVICE.map((name) => import(`../src/${name}.ts`))).catch(() => {})
}

async function replace(folder: string, by: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  try {
    await rename(by, folder)
  } catch (error) {
    // Another build was faster, and its page is as good.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

async function lastChange(): Promise<number> {
  let last = 0
  for await (const name of glob(SOURCES, { cwd: ROOT }))
    last = Math.max(last, await changedAt(join(ROOT, name)))
  return last
}

/** 0 where it is not there. */
async function changedAt(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.mtimeMs ?? 0
}

if (import.meta.main) {
  const ifOlder = process.argv.includes('--if-older')
  await buildGallery({ ifOlder }).catch((error: NodeJS.ErrnoException) => {
    // Where only that was installed which the service needs, it still has to start.
    if (!ifOlder || error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    process.stdout.write('The gallery is not built: `npm install` brings what that takes.\n')
  })
}
