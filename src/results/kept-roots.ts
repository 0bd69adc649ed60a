/** What an entry takes beside its bytes, roughly. */
const OVERHEAD = 512

interface Entry {
  readonly projectId: string
  readonly rootId: string
  readonly bytes: Buffer
}

/**
 * Rendered roots, and of large ones their parts, by the ETag that their bytes belong to: nothing here ever becomes wrong, only unused. In two
 * generations: when the young one has half of `maxBytes` it becomes the old one, and what was not asked for since it
 * was young itself goes. So what is asked for again and again stays, and asking costs no more than looking.
 */
export class KeptRoots {
  readonly #maxBytes: number
  #young = new Map<string, Entry>()
  #old = new Map<string, Entry>()
  #youngBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** No ETag is used twice; that the ids are the same as well is for whoever writes rows by hand. */
  get(etag: string, projectId: string, rootId: string): Entry | undefined {
    let entry = this.#young.get(etag)
    if (!entry) {
      entry = this.#old.get(etag)
      if (entry) this.#add(etag, entry)
    }
    return entry?.rootId === rootId && entry.projectId === projectId ? entry : undefined
  }

  keep(etag: string, entry: Entry): void {
    // Not where it would push out most of the others.
    if (entry.bytes.length < this.#maxBytes / 8) this.#add(etag, entry)
  }

  #add(etag: string, entry: Entry): void {
    const size = entry.bytes.length + OVERHEAD
    if (this.#youngBytes + size > this.#maxBytes / 2) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngBytes = 0
    }
    if (!this.#young.has(etag)) this.#youngBytes += size
    this.#young.set(etag, entry)
  }
}
