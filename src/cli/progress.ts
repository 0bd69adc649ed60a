import type { WriteStream } from 'node:tty'

const BAR_WIDTH = 28
const REDRAW_MS = 100
/** Where no one watches, a line now and then is enough. */
const PLAIN_MS = 5_000

export interface Progress {
  advance(): void
  /** Something to tell meanwhile, without tearing the bar. */
  say(line: string): void
  finish(): void
}

/** A bar with rate and time left on a terminal, plain lines elsewhere. */
export function createProgress(
  { title, unit, total }: { title: string; unit: string; total: number },
  stream: Pick<WriteStream, 'write' | 'isTTY'> = process.stderr,
  clock: () => number = Date.now,
): Progress {
  const began = clock()
  const tty = stream.isTTY === true
  let done = 0
  let drawn = tty ? 0 : began

  function status(): string {
    const seconds = (clock() - began) / 1000
    const rate = done / Math.max(seconds, 0.001)
    const left = done > 0 ? `${formatSeconds((total - done) / rate)} left` : ''
    return `${done.toLocaleString('en')}/${total.toLocaleString('en')} ${unit}  ${rate.toFixed(rate < 10 ? 1 : 0)}/s  ${left}`
  }

  function draw(): void {
    drawn = clock()
    const share = total === 0 ? 1 : Math.min(1, done / total)
    const percent = `${Math.floor(share * 100)} %`
    if (!tty) {
      stream.write(`${title}: ${percent}  ${status()}\n`)
      return
    }
    const filled = Math.round(share * BAR_WIDTH)
    const bar = `\x1b[32m${'━'.repeat(filled)}\x1b[90m${'━'.repeat(BAR_WIDTH - filled)}\x1b[0m`
    stream.write(`\r\x1b[2K${title} ${bar} ${percent.padStart(5)}  ${status()}`)
  }

  return {
    advance() {
      done++
      if (clock() - drawn >= (tty ? REDRAW_MS : PLAIN_MS)) draw()
    },
    say(line) {
      stream.write(tty ? `\r\x1b[2K${line}\n` : `${line}\n`)
      if (tty) draw()
    },
    finish() {
      if (tty) stream.write('\r\x1b[2K')
    },
  }
}

function formatSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  if (seconds < 5_400) return `${Math.ceil(seconds / 60)} min`
  return `${(seconds / 3_600).toFixed(1)} h`
}
