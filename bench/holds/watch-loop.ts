// Loaded into the service before its program (`--import`). A timer fires after each turn of the event loop that takes a millisecond
// or more, and so sees how much of the processor this thread used for it. Others on the same machine change the time of a
// turn, but hardly its share of the processor.

/** The longest turn of the event loop since the last question, in milliseconds. */
export interface LongestTurn {
  /** Of the processor, by the thread that answers. */
  readonly cpuMs: number
  /** By the clock: with what the thread waited for, such as the disk, and with what other processes took. */
  readonly wallMs: number
}

const EVERY_MS = 1

let cpu = process.threadCpuUsage()
let wall = performance.now()
let longest: LongestTurn = { cpuMs: 0, wallMs: 0 }

function look(): void {
  const { user, system } = process.threadCpuUsage(cpu)
  const cpuMs = (user + system) / 1_000
  const now = performance.now()
  longest = {
    cpuMs: Math.max(longest.cpuMs, cpuMs),
    wallMs: Math.max(longest.wallMs, now - wall - EVERY_MS),
  }
  cpu = process.threadCpuUsage()
  wall = now
}

if (process.send) {
  setInterval(look, EVERY_MS).unref()
  process.on('message', () => {
    look()
    process.send?.(longest)
    longest = { cpuMs: 0, wallMs: 0 }
  })
  // The channel must not keep a service alive that was told to stop.
  process.channel?.unref()
}
