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

/** Keeps one browser: starts it when it is needed, replaces it when it is old or has died, ends it when it is idle. */
export class Browsers {
  readonly #find: () => AsyncIterable<FoundBrowser>
  readonly #log: Pick<Logger, 'info' | 'warn'>
  readonly #arguments: readonly string[]
  #current: Promise<Kept> | undefined
  /** Replaced, but still capturing pages. */
  readonly #old = new Set<Kept>()
  #idle: NodeJS.Timeout | undefined
  #warned = false

  constructor(
    find: () => AsyncIterable<FoundBrowser>,
    log: Pick<Logger, 'info' | 'warn'>,
    more: readonly string[] = [],
  ) {
    this.#find = find
    this.#log = log
    this.#arguments = more
  }

  /** Throws AppError `no_browser` if none can be started. */
  async ready(): Promise<RunningBrowser> {
    const kept = await this.#keep()
    this.#restUnlessUsed(kept)
    const { path, kind, origin } = kept.found
    return { path, kind, origin, version: kept.version, sandboxed: kept.sandboxed }
  }

  /** A browser for one page. `kill` ends it, with all its pages. */
  async use<T>(work: (browser: Browser, kill: () => Promise<void>) => Promise<T>): Promise<T> {
    const kept = await this.#keep()
    clearTimeout(this.#idle)
    kept.users++
    if (++kept.pages >= PAGES_A_BROWSER) this.#replace(kept)
    try {
      return await work(kept.browser, async () => {
        this.#replace(kept)
        await kept.close()
      })
    } finally {
      kept.users--
      if (kept.retired) await this.#endIfUnused(kept)
      else this.#restUnlessUsed(kept)
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const current = await this.#current?.catch(() => undefined)
    this.#current = undefined
    await Promise.all([...this.#old, ...(current ? [current] : [])].map((kept) => kept.close()))
    this.#old.clear()
  }

  async #keep(): Promise<Kept> {
    this.#current ??= this.#launch()
    return await this.#current
  }

  async #launch(): Promise<Kept> {
    try {
      const { found, launched } = await this.#launchFirst()
      const { version, sandboxed } = launched
      this.#log.info(
        { browser: found.path, version, sandboxed },
        `the browser is a ${found.kind} ${found.origin}`,
      )
      if (!sandboxed && !this.#warned) {
        this.#warned = true
        this.#log.warn(
          'the browser runs without its sandbox, because this machine or this user (root?) does not allow it: a page that ' +
            'breaks out of the browser has all rights of this process. Capture only pages that you trust, or run ' +
            'as another user on a machine that allows user namespaces',
        )
      }
      const kept = { ...launched, found, retired: false, users: 0, pages: 0 }
      launched.browser.once('disconnected', () => {
        this.#replace(kept)
        void this.#endIfUnused(kept)
      })
      return kept
    } catch (error) {
      this.#current = undefined
      throw error
    }
  }

  /** If a browser does not start, mostly because libraries are missing, the next one is tried. */
  async #launchFirst(): Promise<{ found: FoundBrowser; launched: LaunchedBrowser }> {
    let failure: unknown
    for await (const found of this.#find()) {
      try {
        return { found, launched: await launchBrowser(found, this.#arguments) }
      } catch (error) {
        failure ??= error
        this.#log.warn({ err: error }, 'a browser does not start')
      }
    }
    throw failure
  }

  /** From now on, pages get another browser. */
  #replace(kept: Kept): void {
    // The event may come late, when another browser is already used.
    if (kept.retired) return
    kept.retired = true
    this.#old.add(kept)
    this.#current = undefined
  }

  async #endIfUnused(kept: Kept): Promise<void> {
    if (kept.users > 0) return
    await kept.close()
    this.#old.delete(kept)
  }

  #restUnlessUsed(kept: Kept): void {
    if (kept.users > 0) return
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      this.#replace(kept)
      void this.#endIfUnused(kept)
    }, IDLE_MS).unref()
  }
}
