import module from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { readConfig } from '../../config/config.ts'
import type { Camera, PageToShoot } from '../camera.ts'
import { openCamera } from '../open-camera.ts'
import {
  type FromThread,
  type SentShot,
  sendError,
  type Task,
  type ThreadData,
  type ToThread,
} from './messages.ts'

// The camera, in the thread that `camera-thread.ts` starts.

module.enableCompileCache()

const send = (message: FromThread, handOver: readonly ArrayBuffer[] = []) =>
  parentPort?.postMessage(message, [...handOver])

const { fixedAddresses } = workerData as ThreadData
const opening: Promise<Camera> = openCamera(readConfig(), {
  fixedAddresses,
  log: {
    info: (...values: unknown[]) => send({ log: 'info', values }),
    warn: (...values: unknown[]) => send({ log: 'warn', values }),
  },
})
// The error is reported to the next request for a picture.
opening.catch(() => {})

const underWay = new Map<number, AbortController>()

parentPort?.on('message', (message: ToThread) => {
  const { id } = message
  if ('abort' in message) underWay.get(id)?.abort()
  else void work(id, message.task).catch((error) => send({ id, error: sendError(error) }))
})

async function work(id: number, task: Task): Promise<void> {
  const aborted = new AbortController()
  underWay.set(id, aborted)
  try {
    const camera = await opening
    if ('ready' in task) send({ id, result: await camera.ready() })
    else if ('close' in task) send({ id, result: await camera.close().then(() => undefined) })
    else {
      const result = await shoot(camera, task.shoot, aborted.signal)
      send({ id, result }, [result.bytes.buffer])
    }
  } finally {
    underWay.delete(id)
  }
}

async function shoot(camera: Camera, page: PageToShoot, signal: AbortSignal): Promise<SentShot> {
  const { bytes, ...rest } = await camera.shoot(page, signal)
  return { ...rest, bytes: ofOwnMemory(bytes) }
}

/** A small buffer may share its memory with others, which would be handed over, too. */
function ofOwnMemory(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes)
}
