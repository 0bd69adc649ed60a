import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { AppError } from '../../errors.ts'
import type { FoundBrowser } from './browser.ts'
import { findBrowsers, type WhereToLook } from './find-browser.ts'

const run = promisify(execFile)

/** Playwright's name for it. */
const SHELL = 'chromium-headless-shell'
/** Debian's names, the better one first. */
const DEBIAN_PACKAGES = ['chromium-headless-shell', 'chromium']
const APT = 'DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120'.split(
  ' ',
)

/** Smaller downloads of Playwright are not shown. */
const LARGE_MB = 20

export interface Installing {
  /** Shows a sentence about the current step. */
  say(text: string): void
  /** Shows the progress of a download, in MB. */
  advance(done: number, total: number): void
}

/**
 * Installs a headless shell if none starts: with Playwright's installer, else with apt. If both fail, throws AppError
 * `no_browser` with the commands for this system.
 */
export async function installBrowser(where: WhereToLook, tell: Installing): Promise<FoundBrowser> {
  const before = await findStarting(where)
  if (before?.kind === 'headless shell') return before
  const failures = [await download(tell)]
  const downloaded = await findStarting(where)
  if (downloaded?.kind === 'headless shell') return downloaded
  const system = await readSystem()
  if (isDebian(system) && process.getuid?.() === 0) {
    if (failures[0] !== undefined) tell.say(failures[0])
    for (const name of DEBIAN_PACKAGES) {
      const failure = await installPackage(name, tell)
      failures.push(failure)
      const installed = await findStarting(where)
      if (failure === undefined && installed) return installed
    }
  }
  if (before) {
    for (const failure of failures) if (failure !== undefined) tell.say(failure)
    return before
  }
  throw new AppError('no_browser', explain(system, failures))
}

/** The first browser that prints its version. A browser that lacks libraries does not. */
export async function findStarting(where: WhereToLook): Promise<FoundBrowser | undefined> {
  for await (const found of findBrowsers(where)) {
    const version = found.prepare().then((env) => run(found.path, ['--version'], { env, timeout: 30_000 }))
    if (await version.then(Boolean, () => false)) return found
  }
  return undefined
}

/** Downloads it into Playwright's cache. Returns what went wrong, if anything did. */
async function download(tell: Installing): Promise<string | undefined> {
  tell.say('Downloading a headless shell of Chromium, with Playwright’s installer …')
  const installer = join(dirname(fileURLToPath(import.meta.resolve('playwright-core'))), 'cli.js')
  // With the whole environment: Playwright's installer has variables for proxies, hosts and folders.
  const installing = run(process.execPath, [installer, 'install', '--no-remove', SHELL])
  installing.child.stdout?.on('data', (text: string) => {
    for (const [, percent, total] of text.matchAll(/(\d+)% of ([\d.]+) Mi?B/g)) {
      if (Number(total) >= LARGE_MB) tell.advance((Number(percent) / 100) * Number(total), Number(total))
    }
  })
  try {
    await installing
    return undefined
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string }
    const [reason = 'it failed'] =
      /(?<=^Error: (Download fail\w+: )?)(?!Download fail).*$/m.exec(stderr) ?? []
    return `The download failed: ${reason}`
  }
}

/** Returns what went wrong, if anything did. */
async function installPackage(name: string, tell: Installing): Promise<string | undefined> {
  tell.say(`Installing ${name} with apt …`)
  try {
    // If the lists cannot be updated, the old ones may be good enough.
    await run('env', [...APT, 'update']).catch(() => {})
    await run('env', [...APT, 'install', '-y', '--no-install-recommends', name])
    return undefined
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string }
    const [reason = message.split('\n')[0]] = /^E: .*$/m.exec(stderr) ?? []
    return `apt could not install ${name}: ${reason}`
  }
}

/** `ID` and `ID_LIKE` of the system: `ubuntu`, `debian`. */
async function readSystem(): Promise<string[]> {
  if (process.platform === 'darwin') return ['macos']
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '')
  return [...text.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap(([, names = '']) => names.split(' '))
}

function isDebian(system: readonly string[]): boolean {
  return system.includes('debian') || system.includes('ubuntu')
}

const COMMANDS: Readonly<Record<string, string>> = {
  macos: 'brew install --cask google-chrome',
  ubuntu: 'sudo snap install chromium',
  debian: 'sudo apt-get update && sudo apt-get install -y chromium-headless-shell',
  fedora: 'sudo dnf install -y chromium',
  alpine: 'sudo apk add chromium',
  arch: 'sudo pacman -S chromium',
  suse: 'sudo zypper install -y chromium',
}

/** The problem, and the commands to install a browser by hand. */
function explain(system: readonly string[], failures: readonly (string | undefined)[]): string {
  const known = system.find((name) => name in COMMANDS)
  const lines = [
    'No browser could be installed.',
    ...failures.filter((failure) => failure !== undefined).map((failure) => `  ${failure}`),
    'Install one by hand:',
    known ? `  ${COMMANDS[known]}` : '  Chrome, Chromium or its headless shell, as your system does it',
  ]
  if (failures[0] === undefined) {
    lines.push(
      'A browser was downloaded, but it does not start. Probably libraries are missing. Install them with:',
      `  sudo npx playwright-core install-deps ${SHELL}`,
    )
  }
  return lines.join('\n')
}
