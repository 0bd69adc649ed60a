import { type ExplainTo, isFinal, type Waiting } from '../contract/status.ts'
import type { InTurn } from '../shares/fair-turns.ts'
import type { RootKey, Store } from '../store/store.ts'
import { KeptBytes } from '../work/kept.ts'
import { toStatus } from './status.ts'
import type { WhyWaiting } from './why-waiting.ts'

/** Bytes of statuses that are kept for clients that ask for the same. */
const KEPT_BYTES = 16 * 1024 * 1024

/** The status of a request, as bytes that all clients share. */
export interface StatusBytes {
  readonly version: number
  /** The root is finished: no newer status follows. */
  readonly isFinal: boolean
  readonly event: Buffer
  readonly json: Buffer
}

export interface StatusesOptions {
  readonly explainTo: ExplainTo
  readonly whyWaiting: WhyWaiting
}

/**
 * Reads and renders the status of a request, once for each version and for each `since`. `since` is the version that a client
 * knows: the status has the pages that have changed since. With 0 it has all of them.
 */
export class Statuses {
  readonly #captures: Pick<Store['captures'], 'findChanges' | 'findVersion'>
  readonly #explainTo: ExplainTo
  readonly #whyWaiting: WhyWaiting
  /** Why nothing is captured at the moment, if anything. It is part of every status, but it does not raise the version. */
  waiting: Waiting | undefined
  readonly #kept = new KeptBytes<StatusBytes>(KEPT_BYTES, ({ event }) => event.length, KEPT_BYTES / 2)
  readonly #reading = new Map<string, Promise<StatusBytes | undefined>>()

  constructor(
    captures: Pick<Store['captures'], 'findChanges' | 'findVersion'>,
    { explainTo, whyWaiting }: StatusesOptions,
  ) {
    this.#captures = captures
    this.#explainTo = explainTo
    this.#whyWaiting = whyWaiting
  }

  /** Undefined if the root was imported: it has no request. */
  async version(root: RootKey): Promise<number | undefined> {
    return await this.#captures.findVersion(root.projectId, root.rootId)
  }

  /** A kept status of this version or a later one. */
  kept(root: RootKey, since: number, version: number): StatusBytes | undefined {
    const found = this.#kept.get(this.#nameOf(root, since))
    return found && found.version >= version ? found : undefined
  }

  /** The same, but read if it is not kept. Undefined if there is no request. */
  async read(
    root: RootKey,
    since: number,
    version: number,
    inTurn: InTurn,
  ): Promise<StatusBytes | undefined> {
    // Calls `onChange` if the reason has changed.
    await this.#whyWaiting()
    const name = this.#nameOf(root, since)
    for (;;) {
      const kept = this.kept(root, since, version)
      if (kept) return kept
      const reading = this.#reading.get(name)
      if (!reading) return await this.#begin(name, () => inTurn(() => this.#render(root, since)))
      const found = await reading
      // This read may have begun before the version was written.
      if (!found || found.version >= version) return found
    }
  }

  #begin(name: string, read: () => Promise<StatusBytes | undefined>): Promise<StatusBytes | undefined> {
    const reading = read().finally(() => this.#reading.delete(name))
    this.#reading.set(name, reading)
    return reading
  }

  async #render(root: RootKey, since: number): Promise<StatusBytes | undefined> {
    const name = this.#nameOf(root, since)
    const { waiting } = this
    const changes = await this.#captures.findChanges(root.projectId, root.rootId, since)
    if (!changes) return undefined
    const isExplained = this.#explainTo.has(root.projectId)
    const status = toStatus(root.rootId, changes, { isExplained, waiting })
    const { version } = changes
    const before = `event: status\nid: ${version}\ndata: `
    const event = Buffer.from(`${before}${JSON.stringify(status)}\n\n`)
    const json = event.subarray(before.length, -2)
    const rendered = { version, isFinal: isFinal(status.state), event, json }
    this.#kept.keep(name, rendered)
    return rendered
  }

  #nameOf({ projectId, rootId }: RootKey, since: number): string {
    return `${projectId}${rootId}${since}${this.waiting?.detail ?? ''}`
  }
}
