/** Keys of one look-up. */
const MOST_KEYS = 500
/** While these are under way, more keys gather for the next one: a busy server answers many at the price of one. */
const AT_ONCE = 2
/** Behind one that is stuck nobody waits for longer. */
const LONGEST_WAIT_MS = 20

interface Waiting<K, V> {
  readonly keys: K[]
  readonly settle: { resolve(value: V): void; reject(error: unknown): void }[]
}

/**
 * Look-ups that arrive together are made together: those of one turn of the event loop, and those that arrive while
 * others are under way. Every look-up begins after it was asked for, so what was written before is in its answer.
 */
export function together<K, V>(lookUp: (keys: readonly K[]) => Promise<V[]>): (key: K) => Promise<V> {
  let waiting: Waiting<K, V> | undefined
  let underWay = 0
  let impatient: NodeJS.Timeout | undefined

  const run = async ({ keys, settle }: Waiting<K, V>) => {
    underWay++
    try {
      const values = await lookUp(keys)
      for (const [index, { resolve }] of settle.entries()) resolve(values[index] as V)
    } catch (error) {
      for (const { reject } of settle) reject(error)
    } finally {
      underWay--
      if (waiting) start()
    }
  }
  const start = () => {
    const due = waiting
    waiting = undefined
    clearTimeout(impatient)
    impatient = undefined
    if (due) void run(due)
  }
  const turn = () => {
    if (!waiting) return
    if (underWay < AT_ONCE) start()
    else impatient ??= setTimeout(start, LONGEST_WAIT_MS)
  }

  return (key) =>
    new Promise((resolve, reject) => {
      if (!waiting) {
        waiting = { keys: [], settle: [] }
        setImmediate(turn)
      }
      waiting.keys.push(key)
      waiting.settle.push({ resolve, reject })
      if (waiting.keys.length >= MOST_KEYS) start()
    })
}
