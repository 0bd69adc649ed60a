/** Keeps a value as the newest one. If there are more than `most`, the oldest is forgotten. */
export function keepNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > most) map.delete(map.keys().next().value as Key)
}

/** The memory of an entry beside its bytes, roughly. */
const OVERHEAD = 512

/**
 * Keeps values, as many as have `maxBytes` together. There are two generations. When the young one has half of them, it becomes the old
 * one, and the old one is dropped. An entry of the old one that is used becomes young again. So entries in use stay, and using
 * one costs only a look-up.
 */
export class KeptBytes<Value> {
  readonly #maxBytes: number
  readonly #sizeOf: (value: Value) => number
  readonly #largest: number
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()
  #youngBytes = 0

  /** `largest`: larger values are not kept. They would push out most of the others. */
  constructor(maxBytes: number, sizeOf: (value: Value) => number, largest = maxBytes / 8) {
    this.#maxBytes = maxBytes
    this.#sizeOf = sizeOf
    this.#largest = largest
  }

  get(name: string): Value | undefined {
    const young = this.#young.get(name)
    if (young !== undefined) return young
    const old = this.#old.get(name)
    if (old !== undefined) this.#add(name, old)
    return old
  }

  keep(name: string, value: Value): void {
    if (this.#sizeOf(value) < this.#largest) this.#add(name, value)
  }

  #add(name: string, value: Value): void {
    const size = this.#sizeOf(value) + OVERHEAD
    if (this.#youngBytes + size > this.#maxBytes / 2) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngBytes = 0
    }
    const before = this.#young.get(name)
    this.#youngBytes += size - (before === undefined ? 0 : this.#sizeOf(before) + OVERHEAD)
    this.#young.set(name, value)
  }
}
