import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type Camera, CaptureFailure, type RunningBrowser } from '../camera.ts'
import type { CameraSetup } from '../open-camera.ts'
import {
  type FromThread,
  type Result,
  receiveError,
  type SentShot,
  type Task,
  type ThreadData,
  type ToThread,
} from './messages.ts'

/** Its objects live longer than V8 calls young anyway: a large young heap would only be more memory. */
const YOUNG_HEAP_MB = 12

const PROGRAM = new URL(`in-thread${extname(import.meta.url)}`, import.meta.url)

/**
 * The camera in a thread of its own. Loading Playwright takes half a second, and its messages are as large as pictures: in the
 * thread that answers requests, every client would wait for that. The thread starts with the first page, and reads the same
 * environment.
 */
export function openCameraThread(setup: CameraSetup): Camera {
  let thread: CameraThread | undefined
  let isClosed = false
  const running = () => {
    if (isClosed) throw new Error('the camera is closed')
    // If it has died, the next page starts another.
    if (!thread || thread.isOver) thread = new CameraThread(setup)
    return thread
  }
  return {
    ready: async () => (await running().ask({ ready: true })) as RunningBrowser,
    async shoot(page, signal) {
      signal.throwIfAborted()
      const { bytes, ...rest } = (await running().ask({ shoot: page }, signal)) as SentShot
      return { ...rest, bytes: Buffer.from(bytes.buffer) }
    },
    async close() {
      isClosed = true
      await thread?.close()
    },
  }
}

interface Waiting {
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

class CameraThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  isOver = false

  constructor({ log, fixedAddresses }: CameraSetup) {
    this.#worker = new Worker(PROGRAM, {
      workerData: { fixedAddresses } satisfies ThreadData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
    })
    this.#worker.on('message', (message: FromThread) => {
      if ('log' in message) {
        const [values, text] = message.values as [object, string]
        log[message.log](values, text)
      } else this.#answer(message)
    })
    this.#worker.on('error', (err) =>
      log.warn({ err }, 'the camera has stopped; the next page starts it again'),
    )
    this.#worker.on('exit', () => this.#end())
  }

  /** Throws what the camera throws. If the signal is aborted, its reason. */
  async ask(task: Task, signal?: AbortSignal): Promise<Result> {
    const id = ++this.#lastId
    const abort = () => this.#send({ id, abort: true })
    signal?.addEventListener('abort', abort, { once: true })
    try {
      return await new Promise<Result>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject })
        this.#send({ id, task })
      })
    } catch (error) {
      throw signal?.aborted ? signal.reason : error
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  async close(): Promise<void> {
    if (this.isOver) return
    await this.ask({ close: true }).catch(() => {})
    await this.#worker.terminate()
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message)
  }

  #answer(message: Exclude<FromThread, { log: unknown }>): void {
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if ('error' in message) waiting?.reject(receiveError(message.error))
    else waiting?.resolve(message.result)
  }

  #end(): void {
    this.isOver = true
    for (const { reject } of this.#waiting.values()) {
      reject(new CaptureFailure('crashed', 'The camera has stopped.'))
    }
    this.#waiting.clear()
  }
}
