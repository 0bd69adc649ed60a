/** The memory of an entry beside its bytes, roughly. */
const OVERHEAD = 512

interface KeptRoot {
  readonly projectId: string
  readonly rootId: string
  readonly bytes: Buffer
}

/**
 * Rendered roots, or parts of large roots, by their ETag. So an entry never becomes wrong, only unused. There are two
 * generations. When the young one has half of `maxBytes`, it becomes the old one, and the old one is dropped. An entry of
 * the old one that is used becomes young again. So entries in use stay, and using one costs only a look-up.
 */
export class KeptRoots {
  readonly #maxBytes: number
  #young = new Map<string, KeptRoot>()
  #old = new Map<string, KeptRoot>()
  #youngBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** An ETag is never used twice. The ids are compared, too: rows written by hand may share a revision. */
  get(etag: string, projectId: string, rootId: string): KeptRoot | undefined {
    let entry = this.#young.get(etag)
    if (!entry) {
      entry = this.#old.get(etag)
      if (entry) this.#add(etag, entry)
    }
    return entry?.rootId === rootId && entry.projectId === projectId ? entry : undefined
  }

  keep(etag: string, entry: KeptRoot): void {
    // A larger entry would push out most of the others.
    if (entry.bytes.length < this.#maxBytes / 8) this.#add(etag, entry)
  }

  #add(etag: string, entry: KeptRoot): void {
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
