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
  let thread: ReturnType<typeof startThread> | undefined
  let isClosed = false
  const running = () => {
    if (isClosed) throw new Error('the camera is closed')
    // If it has died, the next page starts another.
    if (!thread || thread.isOver) thread = startThread(setup)
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

function startThread({ log, fixedAddresses }: CameraSetup) {
  const waiting = new Map<number, PromiseWithResolvers<Result>>()
  let lastId = 0
  let isOver = false
  const worker = new Worker(PROGRAM, {
    workerData: { fixedAddresses } satisfies ThreadData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
  })
  const send = (message: ToThread) => worker.postMessage(message)
  worker.on('message', (message: FromThread) => {
    if ('log' in message) {
      const [values, text] = message.values as [object, string]
      log[message.log](values, text)
      return
    }
    const asked = waiting.get(message.id)
    waiting.delete(message.id)
    if ('error' in message) asked?.reject(receiveError(message.error))
    else asked?.resolve(message.result)
  })
  worker.on('error', (err) => log.warn({ err }, 'the camera has stopped; the next page starts it again'))
  worker.on('exit', () => {
    isOver = true
    for (const { reject } of waiting.values()) {
      reject(new CaptureFailure('crashed', 'The camera has stopped.'))
    }
    waiting.clear()
  })
  /** Throws what the camera throws. If the signal is aborted, its reason. */
  const ask = async (task: Task, signal?: AbortSignal): Promise<Result> => {
    const id = ++lastId
    const asked = Promise.withResolvers<Result>()
    const abort = () => send({ id, abort: true })
    signal?.addEventListener('abort', abort, { once: true })
    try {
      waiting.set(id, asked)
      send({ id, task })
      return await asked.promise
    } catch (error) {
      throw signal?.aborted ? signal.reason : error
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }
  return {
    ask,
    get isOver(): boolean {
      return isOver
    },
    async close(): Promise<void> {
      if (isOver) return
      await ask({ close: true }).catch(() => {})
      await worker.terminate()
    },
  }
}
