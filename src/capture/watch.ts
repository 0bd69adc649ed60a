import type { Captures } from '../store/captures.ts'

/** How much later it is seen at most what another process did. */
const LOOK_MS = 500

interface Watched {
  readonly projectId: string
  readonly rootId: string
  readonly waiting: Set<{ than: number; wake: () => void }>
}

/**
 * Tells when something happened to a root. What this process does is told at once; what others do is looked for, for
 * all who wait together.
 */
export class Watch {
  readonly #captures: Captures
  readonly #watched = new Map<string, Watched>()
  #timer: NodeJS.Timeout | undefined

  constructor(captures: Captures) {
    this.#captures = captures
  }

  /** Resolves when the root's progress may be newer than `than`, or when the signal says so. */
  async newer(root: { projectId: string; rootId: string }, than: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const name = root.projectId + root.rootId
    const watched = this.#watched.get(name) ?? { ...root, waiting: new Set() }
    this.#watched.set(name, watched)
    this.#timer ??= setTimeout(() => void this.#look(), LOOK_MS).unref()
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => resolve()
    const waiter = { than, wake }
    watched.waiting.add(waiter)
    signal.addEventListener('abort', wake, { once: true })
    await promise
    signal.removeEventListener('abort', wake)
    watched.waiting.delete(waiter)
    if (watched.waiting.size === 0) this.#watched.delete(name)
  }

  /** Something happened here. */
  tell({ projectId, rootId }: { projectId: string; rootId: string }): void {
    for (const { wake } of this.#watched.get(projectId + rootId)?.waiting ?? []) wake()
  }

  /** Something happened that every root is told of. */
  tellAll(): void {
    for (const { waiting } of this.#watched.values()) for (const { wake } of waiting) wake()
  }

  async #look(): Promise<void> {
    const watched = [...this.#watched.values()]
    const versions = await this.#captures
      .findVersions(watched)
      // A database that is away is heard of by whoever asks next.
      .catch((): undefined[] => [])
    watched.forEach(({ waiting }, index) => {
      const version = versions[index] ?? 0
      for (const { than, wake } of waiting) if (version > than) wake()
    })
    this.#timer = this.#watched.size > 0 ? setTimeout(() => void this.#look(), LOOK_MS).unref() : undefined
  }
}
