import { glob, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { build } from 'vite'

// `node gallery/build.ts` builds the web page; with `--if-older`, only where it is missing or older than its sources.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const BUILT = join(ROOT, 'dist', 'gallery')
const SOURCES = ['gallery/**/*', 'src/client/**/*', 'src/contract/**/*', 'package-lock.json']
const COMPRESSED = /\.(js|css|svg|html)$/

export async function buildGallery({ ifOlder = false, quiet = false } = {}): Promise<void> {
  if (ifOlder && (await lastChange()) <= (await changedAt(join(BUILT, 'index.html')))) return
  if (!quiet) process.stdout.write('Building the gallery, which takes a moment…\n')
  await build({ configFile: join(ROOT, 'gallery', 'vite.config.ts'), logLevel: 'warn' })
  // Compressed once, here, rather than with every answer.
  for await (const name of glob('**/*', { cwd: BUILT })) {
    if (!COMPRESSED.test(name)) continue
    const packed = await promisify(gzip)(await readFile(join(BUILT, name)), { level: 9 })
    await writeFile(join(BUILT, `${name}.gz`), packed)
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

if (import.meta.main) await buildGallery({ ifOlder: process.argv.includes('--if-older') })
