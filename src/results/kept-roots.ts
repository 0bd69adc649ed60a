/** What an entry takes beside its bytes, roughly. */
const OVERHEAD = 512

/**
 * Rendered roots, as many as fit into `maxBytes`; those that were used least lately make room. What an entry is
 * called must say everything that its bytes depend on: nothing here ever becomes wrong, only unused.
 */
export class KeptRoots {
  readonly #maxBytes: number
  readonly #kept = new Map<string, Buffer>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get(name: string): Buffer | undefined {
    const bytes = this.#kept.get(name)
    if (bytes) {
      this.#kept.delete(name)
      this.#kept.set(name, bytes)
    }
    return bytes
  }

  /** Not where it would push out most of the others. */
  keep(name: string, bytes: Buffer): void {
    if (bytes.length > this.#maxBytes / 8 || this.#kept.has(name)) return
    this.#kept.set(name, bytes)
    this.#bytes += bytes.length + OVERHEAD
    for (const [oldest, { length }] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) return
      this.#kept.delete(oldest)
      this.#bytes -= length + OVERHEAD
    }
  }
}
