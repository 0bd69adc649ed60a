import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import type { Browser, BrowserContext } from 'playwright-core'
import { AppError } from '../errors.ts'
import { moveToBackground } from './background.ts'
import type { Environment, FoundBrowser } from './browser/browser.ts'
import { loadPlaywright } from './playwright.ts'

/** For everything outside a context of ours there is no way out at all. */
const NOWHERE = 'http://127.0.0.1:9'
/** Loopback passes the proxy, too. Said here, since a variable of the environment keeps Playwright from saying it. */
export const NO_BYPASS = '<-loopback>'
/** Beside those of Playwright, which turn off whatever calls home. */
const ARGUMENTS = [
  // Names are for the guard to resolve: nothing here asks DNS, not even ahead of time.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  // Traffic that would bypass the proxy.
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--dns-prefetch-disable',
  '--no-pings',
  '--disable-domain-reliability',
  '--disable-gpu',
  '--font-render-hinting=none',
  '--hide-scrollbars',
  // What is outside the window is drawn as well, where the picture is larger than the window; and no picture moves.
  '--blink-settings=mainFrameClipsContent=false,imageAnimationPolicy=2',
  // What is drawn depends on the page alone, and not on what of it was drawn before, or came sooner.
  '--run-all-compositor-stages-before-draw',
  '--disable-partial-raster',
  '--disable-checker-imaging',
  // V8 may drop the object of an IntersectionObserver that no variable holds, although the observer works on. Then we would not
  // find it, and would not scroll through the page.
  '--js-flags=--no-reclaim-unmodified-wrappers',
  // The page moves everything itself. Else a movement that was stopped where it began is drawn where it was by then.
  '--disable-threaded-animation',
  '--mute-audio',
  // While a window is being opened, the page that opens it is paused, and shown darkened.
  '--block-new-web-contents',
  // A dialog to print, or to choose a file, would wait for someone.
  '--disable-print-preview',
  '--disable-notifications',
]
/** Of several such arguments the last one counts, so it has to name the features that Playwright turns on, too. */
const FEATURES = ['CDPScreenshotNewSurface', 'SkipListAccountsWithoutGaiaCookies']
/**
 * Documents of other origins live in processes of their own, with caches of their own; other ports and subdomains, too. For pages with
 * secrets: such a process cannot read them from memory or from a kept answer, and a navigation that it begins can be told from one that
 * the page begins.
 */
export const ISOLATED = isolated()
/**
 * Besides, a cookie goes only to the scheme and the port that it came from. For pages that are given cookies: on other pages, ports of
 * one host share their cookies, as in any browser.
 */
export const COOKIES_STAY = isolated('EnablePortBoundCookies', 'EnableSchemeBoundCookies')
/** What Chromium says, among much else, where its sandbox is not allowed: by name, or by the call that was refused. */
const NO_SANDBOX = /sandbox|sys_chroot/i
const LAUNCH_MS = 30_000
const CLOSE_MS = 5_000
const FOLDER = 'proofsheet-browser-'

export interface LaunchedBrowser {
  readonly browser: Browser
  readonly version: string
  readonly sandboxed: boolean
  /** Closes it; kills it where it does not close. Its files are gone afterwards. */
  close(): Promise<void>
}

/** Throws AppError `no_browser` where it cannot be started. */
export async function launchBrowser(
  found: FoundBrowser,
  more: readonly string[] = [],
): Promise<LaunchedBrowser> {
  await sweepFolders()
  // Root has no sandbox at all.
  const wanted = process.getuid?.() !== 0
  try {
    const env = await found.prepare()
    const start = (sandboxed: boolean) => launch(found.path, env, { sandboxed, more })
    return await start(wanted).catch((error) => {
      if (!wanted || !NO_SANDBOX.test(String(error))) throw error
      return start(false)
    })
  } catch (error) {
    throw notStarted(found, error)
  }
}

async function launch(
  path: string,
  env: Environment,
  { sandboxed, more }: { sandboxed: boolean; more: readonly string[] },
): Promise<LaunchedBrowser> {
  const { chromium } = loadPlaywright()
  // What a page leaves behind in this process (its objects live for longer than V8 calls young) is collected when it is a
  // fifth of what is in use, and not only when it is twice that: otherwise memory grows by as much as Playwright takes.
  setFlagsFromString('--heap-growing-percent=20')
  const folder = await mkdtemp(join(tmpdir(), `${FOLDER}${process.pid}-`))
  let own: BrowserContext | undefined
  try {
    // Only this call takes the folder of the profile. The context that comes with it stays empty.
    own = await chromium.launchPersistentContext(join(folder, 'profile'), {
      executablePath: path,
      chromiumSandbox: sandboxed,
      args: [...ARGUMENTS, ...more],
      // A window that nobody asked for does not open. Where one does, the page that opens it is shown darkened.
      ignoreDefaultArgs: ['--disable-popup-blocking'],
      proxy: { server: NOWHERE, bypass: NO_BYPASS },
      env: { ...env, TMPDIR: folder },
      artifactsDir: join(folder, 'artifacts'),
      timeout: LAUNCH_MS,
      // Signals are the service's: it ends the browser when its captures are over.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    })
    const browser = own.browser()
    if (!browser) throw new Error('Playwright has started no browser')
    for (const page of own.pages()) await page.close()
    const processes = await processesOf(browser)
    if (processes.pid !== undefined) await moveToBackground(processes.pid)
    let closed: Promise<void> | undefined
    return {
      browser,
      version: browser.version(),
      sandboxed,
      close() {
        closed ??= closeBrowser(browser, processes).finally(() => remove(folder))
        return closed
      },
    }
  } catch (error) {
    await own?.close().catch(() => {})
    await remove(folder)
    throw error
  }
}

async function closeBrowser(browser: Browser, processes: BrowserProcesses): Promise<void> {
  const impatient = setTimeout(() => processes.kill(), CLOSE_MS)
  // Resolves when the process has ended, and not only its connection.
  await browser.close().catch(() => {})
  clearTimeout(impatient)
  // Whatever outlived it.
  processes.kill()
}

async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }).catch(() => {})
}

/** Leftovers of killed processes. */
async function sweepFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = /^proofsheet-browser-(\d+)-/.exec(name) ?? []
    if (pid !== undefined && !isAlive(Number(pid))) await remove(join(tmpdir(), name))
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function notStarted({ path }: FoundBrowser, cause: unknown): AppError {
  const words = String((cause as Error).message ?? cause)
  // Below much of Playwright's own.
  const [reason] = /error while loading.*|cannot open shared.*/.exec(words) ?? words.split('\n')
  return new AppError('no_browser', `The browser ${path} does not start: ${reason}`, { cause })
}

const run = promisify(execFile)

/** The processes that a browser is made of. */
interface BrowserProcesses {
  /** The main process. Undefined if it is not known. */
  readonly pid: number | undefined
  kill(): void
}

export async function processesOf(browser: Browser): Promise<BrowserProcesses> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const pid = processInfo.find(({ type }) => type === 'browser')?.id
  if (pid === undefined) return { pid, kill() {} }
  const [group, own] = await Promise.all([groupOf(pid), groupOf(process.pid)]).catch(() => [pid, 0])
  // Never this process: a browser in our own group is killed alone.
  const targets = group > 1 && group !== own ? [-group, pid] : [pid]
  return { pid, kill: () => kill(targets) }
}

/** Playwright makes a group of what it starts: of the browser, or of a script and the browser that the script starts. */
async function groupOf(pid: number): Promise<number> {
  if (process.platform === 'linux') {
    return Number((await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1)?.split(' ')[2])
  }
  return Number((await run('ps', ['-o', 'pgid=', '-p', String(pid)])).stdout)
}

function kill(targets: readonly number[]): void {
  for (const target of targets) {
    try {
      process.kill(target, 'SIGKILL')
    } catch {
      // Gone already.
    }
  }
}

function isolated(...more: readonly string[]): string[] {
  return [
    '--site-per-process',
    `--enable-features=${[...FEATURES, 'StrictOriginIsolation', 'SplitCacheByNetworkIsolationKey', ...more].join(',')}`,
    // A frame of another port or of a subdomain could use cookies and kept answers in a shared worker, whose requests nothing here sees.
    '--disable-blink-features=SharedWorker',
  ]
}
