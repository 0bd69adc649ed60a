import type { WriteStream } from 'node:tty'

const BAR_WIDTH = 28
/** On a narrower terminal there are only numbers, no bar. */
const MIN_BAR_WIDTH = 8
const REDRAW_MS = 100
/** Without a terminal: the time between two lines. */
const PLAIN_MS = 5_000
const CLEAR_LINE = '\r\x1b[2K'

export type Progress = ReturnType<typeof createProgress>

type Stream = Pick<WriteStream, 'write' | 'isTTY'> & { readonly columns?: number }

/** On a terminal: a bar with rate and time left. Elsewhere: plain lines. */
export function createProgress(
  { title, unit, total }: { title: string; unit: string; total: number },
  stream: Stream = process.stderr,
  clock: () => number = Date.now,
) {
  const began = clock()
  const tty = stream.isTTY === true
  let done = 0
  let skipped = 0
  let workBegan = began
  let drawn = began

  function draw(): void {
    drawn = clock()
    const share = total === 0 ? 1 : Math.min(1, done / total)
    const rate = (done - skipped) / Math.max((clock() - workBegan) / 1000, 0.001)
    const left = done > skipped && done < total ? `  ${formatSeconds((total - done) / rate)} left` : ''
    const counts = `${done.toLocaleString('en')}/${total.toLocaleString('en')} ${unit}`
    const status = `${counts}  ${rate.toFixed(rate < 10 ? 1 : 0)}/s${left}`
    const percent = `${Math.floor(share * 100)} %`
    if (!tty) {
      stream.write(`${title}: ${percent}  ${status}\n`)
      return
    }
    const room = (stream.columns ?? 80) - 1
    const text = `${percent.padStart(5)}  ${status}`
    const width = Math.min(BAR_WIDTH, room - title.length - text.length - 2)
    if (width < MIN_BAR_WIDTH) {
      stream.write(CLEAR_LINE + `${title} ${text.trim()}`.slice(0, room))
      return
    }
    const filled = Math.round(share * width)
    const bar = `\x1b[32m${'━'.repeat(filled)}\x1b[90m${'━'.repeat(width - filled)}\x1b[0m`
    stream.write(`${CLEAR_LINE}${title} ${bar} ${text}`)
  }

  function advance(count: number): void {
    done += count
    if (clock() - drawn >= (tty ? REDRAW_MS : PLAIN_MS)) draw()
  }

  if (tty) draw()
  return {
    advance,
    /** For items that an earlier run did: they count, but not for the rate. */
    skip(count: number): void {
      if (done === skipped) workBegan = clock()
      skipped += count
      advance(count)
    },
    /** Lets `write` print something without breaking the bar. */
    interrupt(write: () => void): void {
      if (tty) stream.write(CLEAR_LINE)
      write()
      if (tty) draw()
    },
    finish(): void {
      if (tty) stream.write(CLEAR_LINE)
    },
  }
}

function formatSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  if (seconds < 5_400) return `${Math.ceil(seconds / 60)} min`
  return `${(seconds / 3_600).toFixed(1)} h`
}
