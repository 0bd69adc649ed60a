import type { Logger } from 'pino'
import type { Browser } from 'playwright-core'
import type { FoundBrowser } from './browser/browser.ts'
import type { RunningBrowser } from './camera.ts'
import { type LaunchedBrowser, launchBrowser } from './launch.ts'

/** A browser is replaced after this many pages: over time it uses more and more memory. */
const PAGES_A_BROWSER = 250
/** A browser without work is ended after this time, to free its memory. */
const IDLE_MS = 60_000

interface Kept extends LaunchedBrowser {
  readonly found: FoundBrowser
  /** The next page gets another browser. */
  retired: boolean
  users: number
  pages: number
}

export type Browsers = ReturnType<typeof createBrowsers>

/** Keeps one browser: starts it when it is needed, replaces it when it is old or has died, ends it when it is idle. */
export function createBrowsers(
  find: () => AsyncIterable<FoundBrowser>,
  log: Pick<Logger, 'info' | 'warn'>,
  more: readonly string[],
) {
  let current: Promise<Kept> | undefined
  /** Replaced, but still capturing pages. */
  const old = new Set<Kept>()
  let idle: NodeJS.Timeout | undefined
  let warned = false

  /** From now on, pages get another browser. */
  const replace = (kept: Kept) => {
    // The event may come late, when another browser is already used.
    if (kept.retired) return
    kept.retired = true
    old.add(kept)
    current = undefined
  }
  const endIfUnused = async (kept: Kept) => {
    if (kept.users > 0) return
    await kept.close()
    old.delete(kept)
  }
  const replaceAndEnd = (kept: Kept) => {
    replace(kept)
    void endIfUnused(kept)
  }
  const restUnlessUsed = (kept: Kept) => {
    if (kept.users > 0) return
    clearTimeout(idle)
    idle = setTimeout(replaceAndEnd, IDLE_MS, kept).unref()
  }
  /** If a browser does not start, mostly because libraries are missing, the next one is tried. */
  const launchFirst = async (): Promise<{ found: FoundBrowser; launched: LaunchedBrowser }> => {
    let failure: unknown
    for await (const found of find()) {
      try {
        return { found, launched: await launchBrowser(found, more) }
      } catch (error) {
        failure ??= error
        log.warn({ err: error }, 'a browser does not start')
      }
    }
    throw failure
  }
  const launch = async (): Promise<Kept> => {
    try {
      const { found, launched } = await launchFirst()
      const { version, sandboxed } = launched
      log.info({ browser: found.path, version, sandboxed }, `the browser is a ${found.kind} ${found.origin}`)
      if (!sandboxed && !warned) {
        warned = true
        log.warn(
          'the browser runs without its sandbox, because this machine or this user (root?) does not allow it: a page that ' +
            'breaks out of the browser has all rights of this process. Capture only pages that you trust, or run ' +
            'as another user on a machine that allows user namespaces',
        )
      }
      const kept = { ...launched, found, retired: false, users: 0, pages: 0 }
      launched.browser.once('disconnected', () => replaceAndEnd(kept))
      return kept
    } catch (error) {
      current = undefined
      throw error
    }
  }
  const keep = async (): Promise<Kept> => {
    current ??= launch()
    return await current
  }

  return {
    /** Throws AppError `no_browser` if none can be started. */
    async ready(): Promise<RunningBrowser> {
      const kept = await keep()
      restUnlessUsed(kept)
      const { path, kind, origin } = kept.found
      return { path, kind, origin, version: kept.version, sandboxed: kept.sandboxed }
    },
    /** A browser for one page. `kill` ends it, with all its pages. */
    async use<T>(work: (browser: Browser, kill: () => Promise<void>) => Promise<T>): Promise<T> {
      const kept = await keep()
      clearTimeout(idle)
      kept.users++
      if (++kept.pages >= PAGES_A_BROWSER) replace(kept)
      try {
        return await work(kept.browser, async () => {
          replace(kept)
          await kept.close()
        })
      } finally {
        kept.users--
        if (kept.retired) await endIfUnused(kept)
        else restUnlessUsed(kept)
      }
    },
    async close(): Promise<void> {
      clearTimeout(idle)
      const last = await current?.catch(() => undefined)
      current = undefined
      await Promise.all([...old, ...(last ? [last] : [])].map((kept) => kept.close()))
      old.clear()
    },
  }
}
