import type { Waiting } from '../contract/status.ts'
import type { FairTurns } from '../shares/fair-turns.ts'
import type { RootKey, Store } from '../store/store.ts'
import { createStatuses, type Statuses, type StatusesOptions } from './statuses.ts'

/** Changes by other processes are seen within this time. */
const LOOK_MS = 500
/** Watchers fail if the database is away for this long. A restart of the database is shorter. */
const AWAY_MS = 2_000
/** Roots whose versions one statement reads. */
const ROOTS_AT_ONCE = 500
/** Watchers that are woken in one turn: about a millisecond. */
const TOLD_AT_ONCE = 50

/** Waits for changes of one root. */
export interface Watcher {
  /** The client whose turns are used to wake it. */
  readonly client: string
  /** The version that it has seen. */
  readonly since: number
  /** There is a newer version. */
  wake(version: number): void
  /** The same version must be sent again: a part of the status that has no version has changed. */
  wakeAgain(): void
  /** The database does not answer: changes cannot be seen. */
  fail(error: unknown): void
}

interface Watched extends RootKey {
  readonly watchers: Set<Watcher>
  /** The version that all its watchers have seen. */
  toldVersion: number
  isTelling: boolean
}

/**
 * Wakes the watchers of a root when it has changed. Changes by this process are known at once. Changes by other processes
 * are read regularly, for all watched roots together. Changes while watchers are woken wake them again afterwards, once.
 */
export class RootWatchers {
  readonly statuses: Statuses
  readonly #captures: Pick<Store['captures'], 'findVersions'>
  readonly #turns: FairTurns
  readonly #watched = new Map<string, Watched>()
  /** Roots that may have changed: their versions are read next. */
  readonly #told = new Set<Watched>()
  #timer: NodeJS.Timeout | undefined
  #isAboutToLook = false
  #isLooking = false
  #size = 0
  #awaySince: number | undefined

  constructor(captures: Store['captures'], turns: FairTurns, options: StatusesOptions) {
    this.statuses = createStatuses(captures, options)
    this.#captures = captures
    this.#turns = turns
  }

  get size(): number {
    return this.#size
  }

  /** Adds a watcher. Returns the function that removes it. */
  add({ projectId, rootId }: RootKey, watcher: Watcher): () => void {
    const name = projectId + rootId
    const watched = this.#watched.get(name) ?? {
      ...{ projectId, rootId, watchers: new Set<Watcher>() },
      ...{ toldVersion: watcher.since, isTelling: false },
    }
    this.#watched.set(name, watched)
    watched.watchers.add(watcher)
    watched.toldVersion = Math.min(watched.toldVersion, watcher.since)
    this.#size++
    this.#lookLater()
    return () => {
      if (!watched.watchers.delete(watcher)) return
      this.#size--
      if (watched.watchers.size > 0) return
      this.#told.delete(watched)
      if (this.#watched.get(name) === watched) this.#watched.delete(name)
    }
  }

  /** Resolves with the version when it is newer than `since`. Resolves with `since` if the signal is aborted first. */
  async newer(
    root: RootKey,
    { client, since }: Pick<Watcher, 'client' | 'since'>,
    signal: AbortSignal,
  ): Promise<number> {
    if (signal.aborted) return since
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const giveUp = () => resolve(since)
    const leave = this.add(root, { client, since, wake: resolve, wakeAgain: giveUp, fail: reject })
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', giveUp)
      leave()
    }
  }

  /** This process has changed the root. */
  tell({ projectId, rootId }: RootKey): void {
    const watched = this.#watched.get(projectId + rootId)
    if (!watched) return
    this.#told.add(watched)
    if (this.#isAboutToLook) return
    this.#isAboutToLook = true
    // A moment later, so that changes at the same time are read together.
    setImmediate(() => {
      this.#isAboutToLook = false
      void this.#lookNow()
    })
  }

  /** Capturing has stopped for this reason, or continues. That changes the status of every root. */
  tellAll(waiting: Waiting | undefined): void {
    this.statuses.tell(waiting)
    const all = [...this.#watched.values()].flatMap(({ watchers }) => [...watchers])
    void this.#inSlices(all, (watcher) => watcher.wakeAgain())
  }

  #lookLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      for (const watched of this.#watched.values()) this.#told.add(watched)
      void this.#lookNow()
    }, LOOK_MS).unref()
  }

  async #lookNow(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    while (this.#told.size > 0) {
      const some = [...this.#told].filter(({ isTelling }) => !isTelling).slice(0, ROOTS_AT_ONCE)
      if (some.length === 0) break
      for (const each of some) this.#told.delete(each)
      try {
        const versions = await this.#captures.findVersions(some)
        this.#awaySince = undefined
        for (const [index, watched] of some.entries()) void this.#tellAll(watched, versions[index] ?? 0)
      } catch (error) {
        this.#awaySince ??= performance.now()
        if (performance.now() - this.#awaySince < AWAY_MS) continue
        for (const { watchers } of some) for (const watcher of watchers) watcher.fail(error)
      }
    }
    this.#isLooking = false
    if (this.#watched.size > 0) this.#lookLater()
  }

  async #tellAll(watched: Watched, version: number): Promise<void> {
    if (version <= watched.toldVersion) return
    watched.toldVersion = version
    const behind = [...watched.watchers].filter(({ since }) => since < version)
    const [first] = behind
    if (!first) return
    watched.isTelling = true
    const inTurn = this.#turns.for(first.client)
    // Most watchers have seen the same version as the first: their status is kept then. The others read it themselves.
    await this.statuses.read(watched, first.since, version, inTurn).catch(() => {})
    await this.#inSlices(behind, (watcher) => watcher.wake(version))
    watched.isTelling = false
    if (this.#told.has(watched)) void this.#lookNow()
  }

  /** In turns of their clients. */
  async #inSlices(watchers: readonly Watcher[], tell: (watcher: Watcher) => void): Promise<void> {
    const byClient = Map.groupBy(watchers, ({ client }) => client)
    const tellSome = async ([client, all]: [string, Watcher[]]) => {
      for (let from = 0; from < all.length; from += TOLD_AT_ONCE) {
        const some = all.slice(from, from + TOLD_AT_ONCE)
        await this.#turns.run(client, async () => some.forEach(tell))
      }
    }
    await Promise.all([...byClient].map(tellSome))
  }
}
