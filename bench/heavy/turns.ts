import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'

// Loaded into every thread of the service, before its own code. It notes the longest time that the thread has worked between
// two ticks of a timer. Time of the processor, not of a clock: on a busy machine a thread also waits for a core.

const TICK_MS = 2
const WRITE_MS = 200
const file = join(process.env['TURNS_FOLDER'] ?? '', `${threadId}`)

let [last, longest] = [worked(), 0]
setInterval(() => {
  const now = worked()
  longest = Math.max(longest, now - last)
  last = now
}, TICK_MS).unref()

/** Whoever removes the file begins anew. */
setInterval(() => {
  if (!existsSync(file)) longest = 0
  writeFileSync(file, `${longest}`)
}, WRITE_MS).unref()

/** Milliseconds. */
function worked(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
