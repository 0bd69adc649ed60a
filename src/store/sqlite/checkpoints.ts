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
export class Checkpoints {
  readonly #file: DatabaseFile
  #thread: Worker | undefined
  #bytes = 0
  #isUnderWay = false
  #isClosed = false

  constructor(file: DatabaseFile) {
    this.#file = file
  }

  /** A statement was run with these parameters. */
  readonly onRun = (parameters: readonly SQLInputValue[]): void => {
    this.#bytes += PAGE
    for (const each of parameters) if (typeof each === 'string') this.#bytes += each.length
    if (this.#bytes < AFTER_BYTES || this.#isUnderWay || this.#isClosed) return
    this.#bytes = 0
    this.#isUnderWay = true
    this.#thread ??= this.#start()
    this.#thread.postMessage(undefined)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#thread?.terminate()
  }

  #start(): Worker {
    const thread = new Worker(PROGRAM, { workerData: this.#file.path, resourceLimits: HEAP })
    const over = () => {
      if (this.#thread !== thread) return
      this.#thread = undefined
      this.#isUnderWay = false
    }
    thread.on('message', () => {
      this.#isUnderWay = false
    })
    // A commit copies the log then.
    thread.on('error', over)
    thread.on('exit', over)
    thread.unref()
    return thread
  }
}
