import { existsSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from './browser.ts'

/** The paths in Playwright's releases, for Linux and macOS. */
const SHELLS = 'chromium_headless_shell-*/*/{chrome-headless-shell,headless_shell}'
const WHOLE = 'chromium-*/*/{chrome,*.app/Contents/MacOS/*}'
/** Playwright writes it last. Without it the browser may be incomplete. */
const COMPLETE = 'INSTALLATION_COMPLETE'

/** Browsers in Playwright's cache, shells first, then the newest first. */
export async function findPlaywrightBrowsers(env: Environment): Promise<string[]> {
  const cwd = cacheFolder(env)
  const found: string[] = []
  for (const pattern of [SHELLS, WHOLE]) {
    const paths = await Array.fromAsync(glob(pattern, { cwd })).catch(() => [])
    for (const path of paths.toSorted((a, b) => revisionOf(b) - revisionOf(a))) {
      const [folder = ''] = path.split(sep)
      if (existsSync(join(cwd, folder, COMPLETE))) found.push(join(cwd, path))
    }
  }
  return found
}

function cacheFolder(env: Environment): string {
  const { PLAYWRIGHT_BROWSERS_PATH: named, XDG_CACHE_HOME, HOME = homedir() } = env
  // As in Playwright: 0 means a folder inside its own package.
  if (named === '0') {
    return join(dirname(fileURLToPath(import.meta.resolve('playwright-core'))), '.local-browsers')
  }
  if (named) return named
  if (process.platform === 'darwin') return join(HOME, 'Library', 'Caches', 'ms-playwright')
  return join(XDG_CACHE_HOME ?? join(HOME, '.cache'), 'ms-playwright')
}

function revisionOf(path: string): number {
  return Number(/-(\d+)[/\\]/.exec(path)?.[1] ?? 0)
}
