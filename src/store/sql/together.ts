import { awaitLookUp } from '../../work/other-work.ts'

/** Keys of one look-up. */
const MOST_KEYS = 500
/** Look-ups under way. Meanwhile, keys gather for the next one: so a busy server needs one query for many requests. */
const AT_ONCE = 1
/** If a look-up is stuck, the next one begins after this time. */
const LONGEST_WAIT_MS = 20

export type Together<V> = (key: string) => Promise<V>

/**
 * Requests whose look-up was answered go on together. If they need another one, it begins as soon as all have asked for it, and
 * not in the next iteration of the event loop: a busy service has much to do before that. What follows from that one waits for the
 * iteration again, so that a long row of look-ups does not keep the event loop from everything else.
 */
const answering = {
  isUnderWay: false,
  begin() {
    if (this.isUnderWay) return
    this.isUnderWay = true
    process.nextTick(() => {
      this.isUnderWay = false
    })
  },
  /** Starts a look-up, and tells whether it follows from another. */
  next(start: (follows: boolean) => void) {
    if (this.isUnderWay) process.nextTick(start, true)
    else setImmediate(start, false)
  },
}

/**
 * Combines look-ups that arrive in one iteration of the event loop, or while another is under way. Equal keys are looked up
 * once. A query always begins after the look-ups that it answers, so that it sees everything that was written before them.
 */
export function together<V>(lookUp: (keys: readonly string[]) => Promise<V[]>): Together<V> {
  let waiting = new Map<string, PromiseWithResolvers<V>>()
  let underWay = 0
  let impatient: NodeJS.Timeout | undefined
  let begins = () => {}

  const start = async (follows = false) => {
    const due = waiting
    waiting = new Map()
    begins()
    clearTimeout(impatient)
    impatient = undefined
    underWay++
    try {
      const values = await lookUp([...due.keys()])
      let index = 0
      for (const { resolve } of due.values()) resolve(values[index++] as V)
      if (!follows) answering.begin()
    } catch (error) {
      for (const { reject } of due.values()) reject(error)
    }
    underWay--
    if (waiting.size > 0) setImmediate(onIteration)
  }
  const onIteration = (follows = false) => {
    if (waiting.size === 0) return
    if (underWay < AT_ONCE) void start(follows)
    else impatient ??= setTimeout(() => void start(), LONGEST_WAIT_MS)
  }

  return (key) => {
    let awaited = waiting.get(key)
    if (!awaited) {
      if (waiting.size === 0) {
        begins = awaitLookUp()
        answering.next(onIteration)
      }
      awaited = Promise.withResolvers<V>()
      waiting.set(key, awaited)
      if (waiting.size >= MOST_KEYS) void start()
    }
    return awaited.promise
  }
}
