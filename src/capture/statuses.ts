import type { ExplainTo } from '../contract/closed-reasons.ts'
import { isFinal, type Waiting } from '../contract/status.ts'
import type { InTurn } from '../shares/fair-turns.ts'
import type { Captures } from '../store/captures.ts'
import { type Root, toStatus } from './status.ts'
import type { WhyWaiting } from './wait-for-room.ts'

/** What is kept for those who are about to ask for the same. */
const KEPT_BYTES = 16 * 1024 * 1024

/** How far a request is, as bytes that all who ask share. */
export interface StatusBytes {
  readonly version: number
  /** Nothing follows. */
  readonly isFinal: boolean
  /** As a server-sent event. */
  readonly event: Buffer
  /** The same as JSON. */
  readonly json: Buffer
}

export interface StatusOptions {
  readonly explainTo: ExplainTo
  readonly whyWaiting: WhyWaiting
}

/**
 * Reads and renders how far a request is: once for all who have seen the same of it, and once for a version. A status
 * that someone has `seen` up to a version has those pages that have changed since; 0 is for all of them.
 */
export class Statuses {
  readonly #captures: Pick<Captures, 'findChanges' | 'findVersion'>
  readonly #explainTo: ExplainTo
  readonly #whyWaiting: WhyWaiting
  /** Why nothing is captured, if that is so. It is part of every status, but of no version. */
  waiting: Waiting | undefined
  /** The one that was used last is the last. */
  readonly #kept = new Map<string, StatusBytes>()
  #keptBytes = 0
  readonly #reading = new Map<string, Promise<StatusBytes | undefined>>()

  constructor(
    captures: Pick<Captures, 'findChanges' | 'findVersion'>,
    { explainTo, whyWaiting }: StatusOptions,
  ) {
    this.#captures = captures
    this.#explainTo = explainTo
    this.#whyWaiting = whyWaiting
  }

  /** Undefined where there is no request: the root was imported. */
  async version(root: Root): Promise<number | undefined> {
    return await this.#captures.findVersion(root.projectId, root.rootId)
  }

  /** Of this version or a later one, where it is at hand. */
  kept(root: Root, seen: number, version: number): StatusBytes | undefined {
    const name = this.#nameOf(root, seen)
    const found = this.#kept.get(name)
    if (!found || found.version < version) return undefined
    this.#kept.delete(name)
    this.#kept.set(name, found)
    return found
  }

  /** The same, read where it is not. Undefined where there is no request. */
  async read(root: Root, seen: number, version: number, inTurn: InTurn): Promise<StatusBytes | undefined> {
    // Whoever looks tells of a change.
    await this.#whyWaiting()
    const name = this.#nameOf(root, seen)
    for (;;) {
      const kept = this.kept(root, seen, version)
      if (kept) return kept
      const reading = this.#reading.get(name)
      if (!reading) return await this.#begin(name, () => inTurn(() => this.#render(root, seen)))
      const found = await reading
      // It may have begun before this version came.
      if (!found || found.version >= version) return found
    }
  }

  #begin(name: string, read: () => Promise<StatusBytes | undefined>): Promise<StatusBytes | undefined> {
    const reading = read().finally(() => this.#reading.delete(name))
    this.#reading.set(name, reading)
    return reading
  }

  async #render(root: Root, seen: number): Promise<StatusBytes | undefined> {
    const name = this.#nameOf(root, seen)
    const { waiting } = this
    const changes = await this.#captures.findChanges(root.projectId, root.rootId, seen)
    if (!changes) return undefined
    const isExplained = this.#explainTo.has(root.projectId)
    const status = toStatus(root.rootId, changes, { isExplained, waiting })
    const { version } = changes
    const before = `event: status\nid: ${version}\ndata: `
    const event = Buffer.from(`${before}${JSON.stringify(status)}\n\n`)
    const json = event.subarray(before.length, -2)
    const rendered = { version, isFinal: isFinal(status.state), event, json }
    this.#keep(name, rendered)
    return rendered
  }

  #keep(name: string, status: StatusBytes): void {
    this.#forget(name)
    this.#kept.set(name, status)
    this.#keptBytes += status.event.length
    for (const oldest of this.#kept.keys()) {
      if (this.#keptBytes <= KEPT_BYTES) break
      this.#forget(oldest)
    }
  }

  #forget(name: string): void {
    this.#keptBytes -= this.#kept.get(name)?.event.length ?? 0
    this.#kept.delete(name)
  }

  #nameOf({ projectId, rootId }: Root, seen: number): string {
    return `${projectId}${rootId}${seen}${this.waiting?.reason ?? ''}`
  }
}
