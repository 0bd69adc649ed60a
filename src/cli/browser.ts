import { Command } from 'commander'
import { type FoundBrowser, INSTALL_COMMAND } from '../camera/browser/browser.ts'
import { findBrowsers } from '../camera/browser/find-browser.ts'
import { findMachineFont } from '../camera/browser/fonts.ts'
import { installBrowser } from '../camera/browser/install-browser.ts'
import { CaptureFailure } from '../camera/camera.ts'
import { openCamera } from '../camera/open-camera.ts'
import { type Config, readConfig } from '../config/config.ts'
import { DEFAULT_LOADING_TIME } from '../contract/results.ts'
import { addressOf, serveSite } from '../demo/site.ts'
import { AppError } from '../errors.ts'
import { createProgress, type Progress } from './progress.ts'
import { print, say } from './say.ts'
import { type ExitCode, exitWith } from './signals.ts'

export function browserCommand(): Command {
  const browser = new Command('browser')
    .description('Show which browser takes the pictures, or install one.')
    .addHelpText('after', EXPLANATION)
    .action(exitWith(showBrowser))
  browser
    .command('install')
    .description('Install a headless shell of Chromium, the fastest browser for pictures.')
    .addHelpText('after', INSTALL_EXPLANATION)
    .action(install)
  return browser
}

const EXPLANATION = `
Without a command it shows which browser is used and why, its version, whether its sandbox works, which fonts there
are, and how long one picture takes. Exit code: 1 if there is no browser.

The first of these is used: CHROMIUM_PATH; a headless shell of this machine (chromium-headless-shell,
chrome-headless-shell); one in Playwright's cache; the one of the npm package @sparticuz/chromium (Linux, x64); Chrome
or Chromium. A headless shell takes about three times as many pictures per second as a whole browser.`

const INSTALL_EXPLANATION = `
Playwright's installer downloads it into Playwright's cache (Linux and macOS, x64 and arm64). Its variables work as for
Playwright: PLAYWRIGHT_DOWNLOAD_HOST, PLAYWRIGHT_BROWSERS_PATH, HTTPS_PROXY. If the download fails, root on Debian or
Ubuntu gets it from apt. Other users are shown the command for their system.`

async function showBrowser(): Promise<ExitCode> {
  const config = readConfig(undefined, { serving: false })
  const found = await Array.fromAsync(findBrowsers(config.capture))
  const [first, ...others] = found
  if (!first) {
    say(`There is no browser to take pictures with. Install one with:\n  ${INSTALL_COMMAND}`)
    return 1
  }
  const { running, startedMs, pictureMs } = await tryOut(config)
  const font = await findMachineFont(config.capture.env)
  line('Browser', running.path)
  line('', `a ${running.kind} ${running.origin}, version ${running.version}`)
  line('Sandbox', running.sandboxed ? 'works here' : `off: ${whyNoSandbox()}`)
  line('Fonts', font === undefined ? NO_FONTS : `of this machine, such as ${font}`)
  line(
    'Picture',
    `${seconds(pictureMs)} for one of 1200 × 720; ${seconds(startedMs)} to start the browser before the first`,
  )
  if (others.length > 0) line('Others', others.map(({ path }) => path).join(', '))
  if (running.kind !== 'headless shell' && config.capture.chromiumPath === undefined) {
    line('', `A headless shell would be about three times as fast: ${INSTALL_COMMAND}`)
  }
  return 0
}

const NO_FONTS =
  'none on this machine: pages are drawn with Open Sans, which comes with proofsheet. Other scripts are boxes until you\n' +
  '          install fonts for them (Debian: apt-get install fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji)'

/** Captures a page of the demo twice. The second time shows how fast it is. Throws AppError `no_browser`. */
async function tryOut(config: Config) {
  const site = await serveSite()
  const camera = await openCamera(config, {
    log: { info: () => {}, warn: () => {} },
    fixedAddresses: site.fixedAddresses,
  })
  const options = { width: 1200, height: 720, fullPage: false }
  const page = { url: addressOf('home'), options, loadingTime: DEFAULT_LOADING_TIME }
  const { signal } = new AbortController()
  try {
    const began = performance.now()
    const running = await camera.ready()
    const startedMs = performance.now() - began
    await camera.shoot(page, signal)
    const again = performance.now()
    await camera.shoot(page, signal)
    return { running, startedMs, pictureMs: performance.now() - again }
  } catch (error) {
    if (error instanceof CaptureFailure) throw new AppError('unavailable', `no picture: ${error.message}`)
    throw error
  } finally {
    await camera.close()
    await site.close()
  }
}

async function install(): Promise<void> {
  const config = readConfig(undefined, { serving: false })
  const { chromiumPath } = config.capture
  if (chromiumPath !== undefined) {
    print(`Pictures are taken with ${chromiumPath}, because CHROMIUM_PATH names it. Nothing was installed.`)
    return
  }
  let progress: Progress | undefined
  let before = 0
  const found: FoundBrowser = await installBrowser(config.capture, {
    say(text) {
      const write = () => say(text)
      if (progress) progress.interrupt(write)
      else write()
    },
    advance(done, total) {
      progress ??= createProgress({ title: 'Downloading', unit: 'MB', total: Math.round(total) })
      progress.advance(Math.round(done) - before)
      before = Math.round(done)
    },
  }).finally(() => progress?.finish())
  print(
    `Pictures are taken with ${found.path}, a ${found.kind} ${found.origin}.\n` +
      'Try it: npx proofsheet browser shows how fast it is, npx proofsheet capture https://example.com/ captures a page.',
  )
}

function whyNoSandbox(): string {
  return process.getuid?.() === 0
    ? 'not for root. Run proofsheet as another user'
    : 'this machine does not allow user namespaces for this user. Capture only pages that you trust'
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}

function line(what: string, text: string): void {
  print(`${what.padEnd(8)}  ${text}`)
}
