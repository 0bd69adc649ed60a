import type { Waiting } from '../contract/status.ts'
import type { FairTurns } from '../shares/fair-turns.ts'
import type { Captures } from '../store/captures.ts'
import type { Root } from './status.ts'
import { Statuses, type StatusOptions } from './statuses.ts'

/** How much later it is seen at most what another process did. */
const LOOK_MS = 500
/** A database that was away for so long is not only restarting: whoever waits hears of it. */
const AWAY_MS = 2_000
/** Roots that are looked for by one statement. */
const ROOTS_AT_ONCE = 500
/** Watchers that are told in one turn: about a millisecond. */
const TOLD_AT_ONCE = 50

/** Someone who waits for news of a root. */
export interface Watcher {
  /** Whose turns it takes to tell it. */
  readonly client: string
  /** The version that it knows. */
  readonly seen: number
  /** There is a newer one. */
  wake(version: number): void
  /** The same version has to be told once more: something that is no part of it has changed. */
  wakeAgain(): void
  /** Nobody can tell any more whether there is. */
  fail(error: unknown): void
}

interface Watched extends Root {
  readonly watchers: Set<Watcher>
  /** What all its watchers were told of, or knew when they came. */
  toldVersion: number
  /** While its watchers are told. */
  isTelling: boolean
}

/**
 * Tells when something happened to a root. What this process does is told at once; what others do is looked for, for
 * all who wait together. What happens while watchers are told is told when that is over, and all of it at once.
 */
export class Watch {
  readonly statuses: Statuses
  readonly #captures: Pick<Captures, 'findVersions'>
  readonly #turns: FairTurns
  readonly #watched = new Map<string, Watched>()
  /** To these something has happened here. */
  readonly #told = new Set<Watched>()
  #timer: NodeJS.Timeout | undefined
  #isAboutToLook = false
  #isLooking = false
  #size = 0
  /** When the database was first not there. */
  #awaySince: number | undefined

  constructor(captures: Captures, turns: FairTurns, options: StatusOptions) {
    this.statuses = new Statuses(captures, options)
    this.#captures = captures
    this.#turns = turns
  }

  /** How many watch. */
  get size(): number {
    return this.#size
  }

  /** From now on; until the function that it answers is called. */
  add({ projectId, rootId }: Root, watcher: Watcher): () => void {
    const name = projectId + rootId
    const watched = this.#watched.get(name) ?? {
      ...{ projectId, rootId, watchers: new Set<Watcher>() },
      ...{ toldVersion: watcher.seen, isTelling: false },
    }
    this.#watched.set(name, watched)
    watched.watchers.add(watcher)
    watched.toldVersion = Math.min(watched.toldVersion, watcher.seen)
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

  /** Resolves with the version when the root's is newer than `seen`; with `seen` when the signal says so. */
  async newer(
    root: Root,
    { client, seen }: Pick<Watcher, 'client' | 'seen'>,
    signal: AbortSignal,
  ): Promise<number> {
    if (signal.aborted) return seen
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const giveUp = () => resolve(seen)
    const leave = this.add(root, { client, seen, wake: resolve, wakeAgain: giveUp, fail: reject })
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', giveUp)
      leave()
    }
  }

  /** Something happened here. */
  tell({ projectId, rootId }: Root): void {
    const watched = this.#watched.get(projectId + rootId)
    if (!watched) return
    this.#told.add(watched)
    if (this.#isAboutToLook) return
    this.#isAboutToLook = true
    // Not at once: what happens together is told together.
    setImmediate(() => {
      this.#isAboutToLook = false
      void this.#lookNow()
    })
  }

  /** Nothing is captured, for this reason, or it goes on: that concerns every root. */
  tellAll(waiting: Waiting | undefined): void {
    this.statuses.waiting = waiting
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
    const behind = [...watched.watchers].filter(({ seen }) => seen < version)
    const [first] = behind
    if (!first) return
    watched.isTelling = true
    const inTurn = this.#turns.for(first.client)
    // Most have seen the same: what is new to them is at hand when they are told. Who is not so lucky reads it again.
    await this.statuses.read(watched, first.seen, version, inTurn).catch(() => {})
    await this.#inSlices(behind, (watcher) => watcher.wake(version))
    watched.isTelling = false
    if (this.#told.has(watched)) void this.#lookNow()
  }

  /** By turns between their clients. */
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
