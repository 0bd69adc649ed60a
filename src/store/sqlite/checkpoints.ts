import { extname } from 'node:path'
import type { SQLInputValue } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import type { DatabaseFile } from './errors.ts'

const PROGRAM = new URL(`checkpoint-program${extname(import.meta.url)}`, import.meta.url)
/** The size of a page. Every statement writes at least one. */
const PAGE = 4_096
/** The log is copied when it has this many bytes. By itself, SQLite would do it at the same size. */
const AFTER_BYTES = 1_000 * PAGE
/** If the thread is behind, a commit copies the rest itself, so that the log cannot grow for ever. In pages. */
export const AUTOCHECKPOINT = 4_000
const HEAP = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 }

/**
 * Copies the log into the database. SQLite would do that as part of a commit: ten milliseconds in which nobody is answered. A thread
 * does it meanwhile. It starts when enough was written, and ends when nothing is.
 */
export function createCheckpoints({ path }: DatabaseFile) {
  let thread: Worker | undefined
  let bytes = 0
  let isUnderWay = false
  let isClosed = false

  const start = (): Worker => {
    const started = new Worker(PROGRAM, { workerData: path, resourceLimits: HEAP })
    const over = () => {
      if (thread !== started) return
      thread = undefined
      isUnderWay = false
    }
    started.on('message', () => {
      isUnderWay = false
    })
    // A commit copies the log then.
    started.on('error', over)
    started.on('exit', over)
    started.unref()
    return started
  }

  return {
    onRun(parameters: readonly SQLInputValue[]): void {
      bytes += PAGE
      for (const each of parameters) if (typeof each === 'string') bytes += each.length
      if (bytes < AFTER_BYTES || isUnderWay || isClosed) return
      bytes = 0
      isUnderWay = true
      thread ??= start()
      thread.postMessage(undefined)
    },

    async close(): Promise<void> {
      isClosed = true
      await thread?.terminate()
    },
  }
}
