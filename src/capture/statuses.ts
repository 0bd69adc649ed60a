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

export type Statuses = ReturnType<typeof createStatuses>

/**
 * Reads and renders the status of a request, once for each version and for each `since`. `since` is the version that a client
 * knows: the status has the pages that have changed since. With 0 it has all of them.
 */
export function createStatuses(
  captures: Pick<Store['captures'], 'findChanges' | 'findVersion'>,
  { explainTo, whyWaiting }: StatusesOptions,
) {
  /** Why nothing is captured at the moment, if anything. It is part of every status, but it does not raise the version. */
  let waiting: Waiting | undefined
  const all = new KeptBytes<StatusBytes>(KEPT_BYTES, ({ event }) => event.length, KEPT_BYTES / 2)
  const reading = new Map<string, Promise<StatusBytes | undefined>>()
  const nameOf = ({ projectId, rootId }: RootKey, since: number) =>
    `${projectId}${rootId}${since}${waiting?.detail ?? ''}`
  const render = async (root: RootKey, since: number): Promise<StatusBytes | undefined> => {
    const [name, why] = [nameOf(root, since), waiting]
    const changes = await captures.findChanges(root.projectId, root.rootId, since)
    if (!changes) return undefined
    const isExplained = explainTo.has(root.projectId)
    const status = toStatus(root.rootId, changes, { isExplained, waiting: why })
    const { version } = changes
    const before = `event: status\nid: ${version}\ndata: `
    const event = Buffer.from(`${before}${JSON.stringify(status)}\n\n`)
    const json = event.subarray(before.length, -2)
    const rendered = { version, isFinal: isFinal(status.state), event, json }
    all.keep(name, rendered)
    return rendered
  }
  /** A kept status of this version or a later one. */
  const kept = (root: RootKey, since: number, version: number): StatusBytes | undefined => {
    const found = all.get(nameOf(root, since))
    return found && found.version >= version ? found : undefined
  }
  return {
    kept,
    /** Capturing has stopped for this reason, or continues. */
    tell(why: Waiting | undefined): void {
      waiting = why
    },
    /** Undefined if the root was imported: it has no request. */
    async version(root: RootKey): Promise<number | undefined> {
      return await captures.findVersion(root.projectId, root.rootId)
    },
    /** A kept status, but read if it is not kept. Undefined if there is no request. */
    async read(
      root: RootKey,
      since: number,
      version: number,
      inTurn: InTurn,
    ): Promise<StatusBytes | undefined> {
      // Calls `onChange` if the reason has changed.
      await whyWaiting()
      const name = nameOf(root, since)
      for (;;) {
        const known = kept(root, since, version)
        if (known) return known
        const underWay = reading.get(name)
        if (!underWay) {
          const begun = inTurn(() => render(root, since)).finally(() => reading.delete(name))
          reading.set(name, begun)
          return await begun
        }
        const found = await underWay
        // This read may have begun before the version was written.
        if (!found || found.version >= version) return found
      }
    },
  }
}
