import { constants } from 'node:fs'
import { access, open, realpath, stat } from 'node:fs/promises'
import { basename, delimiter, join } from 'node:path'
import { AppError } from '../../errors.ts'
import { type Environment, type FoundBrowser, INSTALL_COMMAND } from './browser.ts'
import { withFonts } from './fonts.ts'
import { findNpmBrowser } from './npm-browser.ts'
import { findPlaywrightBrowsers } from './playwright-cache.ts'

const SHELLS = ['chromium-headless-shell', 'chrome-headless-shell']
const WHOLE = ['google-chrome', 'google-chrome-stable', 'chrome', 'chromium', 'chromium-browser']
const OTHER_PLACES = [
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]
const LOOK_BYTES = 4_096
/** `/usr/lib/chromium/chromium-headless-shell "$@"`, and nothing else. */
const PASSES_ON = /^(?:exec\s+)?(\/[^\s"'$`\\;&|<>()*?[\]{}~]+)\s+"\$@"$/

export interface WhereToLook {
  readonly chromiumPath: string | undefined
  readonly dataDir: string
  readonly env: Environment
}

/** The browser that is tried first. Throws AppError `no_browser`, with the command that installs one. */
export async function findBrowser(where: WhereToLook): Promise<FoundBrowser> {
  return (await getBrowsers(where).next()).value
}

/** As findBrowsers, but throws AppError `no_browser` if there is none. */
export async function* getBrowsers(where: WhereToLook): AsyncGenerator<FoundBrowser> {
  let any = false
  for await (const found of findBrowsers(where)) {
    any = true
    yield found
  }
  if (any) return
  throw new AppError(
    'no_browser',
    where.chromiumPath === undefined
      ? `There is no browser to take pictures with. Install one with: ${INSTALL_COMMAND}`
      : `CHROMIUM_PATH=${where.chromiumPath} is not a program that can be started.`,
  )
}

/** All browsers of the machine, in the order in which they are tried: headless shells first, which are three times as fast. */
export async function* findBrowsers(where: WhereToLook): AsyncGenerator<FoundBrowser> {
  const seen = new Set<string>()
  for await (const found of lookEverywhere(where)) {
    // Two entries of PATH may be the same folder.
    const path = await realpath(found.path).catch(() => found.path)
    if (!seen.has(path)) yield found
    seen.add(path)
  }
}

async function* lookEverywhere({ chromiumPath, dataDir, env }: WhereToLook): AsyncGenerator<FoundBrowser> {
  const at = async function* (path: string, origin: string): AsyncGenerator<FoundBrowser> {
    if (!(await isProgram(path))) return
    yield {
      path: await withoutScript(path),
      kind: /headless[-_]shell/.test(basename(path)) ? 'headless shell' : 'whole browser',
      origin,
      prepare: () => withFonts(env, dataDir),
    }
  }
  if (chromiumPath !== undefined) return yield* at(chromiumPath, 'that CHROMIUM_PATH names')
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const inFolders = (names: readonly string[]) =>
    names.flatMap((name) => folders.map((folder) => join(folder, name)))
  for (const path of inFolders(SHELLS)) yield* at(path, 'of this machine')
  for (const path of await findPlaywrightBrowsers(env)) yield* at(path, 'in Playwright’s cache')
  const packed = await findNpmBrowser(dataDir, env)
  if (packed) yield packed
  for (const path of [...inFolders(WHOLE), ...OTHER_PLACES]) yield* at(path, 'of this machine')
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

/**
 * The program that a script starts, if the script does nothing else. Else the path itself. Debian's headless shell is
 * such a script: killing the script would leave the browser running.
 */
export async function withoutScript(path: string): Promise<string> {
  const [first = '', ...lines] = (await readBeginning(path)).split('\n').map((line) => line.trim())
  if (!/^#!\s*\/bin\/(ba|da)?sh\b/.test(first)) return path
  const commands = lines.filter((line) => line !== '' && !line.startsWith('#'))
  return (commands.length === 1 && PASSES_ON.exec(commands[0] ?? '')?.[1]) || path
}

async function readBeginning(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined)
  try {
    const { buffer, bytesRead } = (await file?.read(Buffer.alloc(LOOK_BYTES), 0, LOOK_BYTES, 0)) ?? {}
    // A longer script does more than start a program.
    return buffer && bytesRead && bytesRead < LOOK_BYTES ? buffer.toString('utf8', 0, bytesRead) : ''
  } finally {
    await file?.close()
  }
}
