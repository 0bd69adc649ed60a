import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { ByteBudget } from '../../shares/byte-budget.ts'
import type { Refusals } from '../../shares/refusals.ts'
import { NOBODY_WAITS, whenClosed } from '../answers/when-closed.ts'
import { clientOf, type HttpContext, type Server } from '../context.ts'
import { Admission } from './admission.ts'

/** Longest pause within a body. Others may wait for the memory that it has reserved. */
const STILL_MS = 5_000
/** After so many bytes `look` is called. Also the first size of the buffer for a body of unknown length, which then doubles. */
const FIRST_BYTES = 65_536

/** How many bodies may wait. Each takes 100 KB, mostly what Node has read ahead. One that is refused takes time, and comes back. */
const MAX_WAITING = { ofOne: 1_600, ofAll: 2_400 }
/**
 * How long a body waits, in thirtieths of REQUEST_TIMEOUT, which would end it without an answer. Not equally long: those that came
 * together would come back together. In steps, because Node keeps a list of timers for each duration.
 */
const WAITS = { least: 5, most: 25, of: 30 }
/** Pieces of bodies, of at most 64 KB, that are taken in one iteration of the event loop. */
const PIECES_AT_ONCE = 4
/** By then the bodies under way have arrived, or were ended. */
const RETRY_AFTER_S = 5

/** Memory for bodies. */
export function openBodies(
  { bodiesBytes, requestMs }: { bodiesBytes: number; requestMs: number },
  refusals: Refusals,
): ByteBudget {
  const detail = 'too many of your requests wait for their body to be read'
  const { least, most, of } = WAITS
  return new ByteBudget(bodiesBytes, {
    ...MAX_WAITING,
    patienceMs: () => (requestMs / of) * (least + Math.floor(Math.random() * (most - least + 1))),
    refuse: () => refusals.refuse('bodies', detail, RETRY_AFTER_S),
  })
}

/**
 * Reads bodies when there is memory for them. The memory stays reserved until the answer: a parsed body is as large as the
 * body. A body that waits is not read, so that its client stops sending. `look` gets the beginning of a longer body. If it throws, the
 * rest of the body is not kept, and the error is thrown.
 */
export function createReadBody(server: Server, { bodies, config: { limits } }: HttpContext) {
  const pieces = new Admission(PIECES_AT_ONCE)
  server.addHook('preClose', (done) => {
    bodies.close(new AppError('unavailable', 'the service is stopping'))
    done()
  })
  // Shorter than REQUEST_TIMEOUT, which ends the connection without an answer.
  const stillMs = Math.min(STILL_MS, limits.requestMs / 2)
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    look: (beginning: Buffer) => void,
  ): Promise<Buffer> => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    const bytes = encoding === undefined ? Number(length ?? 0) : undefined
    try {
      if (bytes !== undefined && bytes > limits.bodyBytes) throw tooLarge()
      if (bytes === 0) return Buffer.alloc(0)
      const client = clientOf(request)
      // Before anything is made for a request that waits: a client may have thousands that are refused.
      bodies.requirePlace(client)
      const { giveBack } = await bodies.take(client, bytes ?? limits.bodyBytes, whenClosed(reply.raw))
      reply.raw.once('close', giveBack)
      if (reply.raw.destroyed) {
        giveBack()
        throw NOBODY_WAITS
      }
      const pause = () => {
        if (pieces.mayBegin()) return
        request.raw.pause()
        pieces.waitInLine(client, () => request.raw.resume())
      }
      return await readAll(request, { bytes, most: limits.bodyBytes, stillMs, look, pause })
    } catch (error) {
      // The rest of the body would be read as the next request.
      reply.header('connection', 'close')
      throw error === NOBODY_WAITS ? brokenOff() : error
    }
  }
}

interface Expected {
  readonly bytes: number | undefined
  readonly most: number
  readonly stillMs: number
  readonly look: (beginning: Buffer) => void
  /** Called after each piece. */
  readonly pause: () => void
}

/** Into one buffer: a chunk of one byte would take a hundred bytes. It gets memory when bytes are written into it. */
function readAll({ raw }: FastifyRequest, { bytes, most, stillMs, look, pause }: Expected): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let body: Buffer = Buffer.allocUnsafeSlow(bytes ?? Math.min(FIRST_BYTES, most))
    let filled = 0
    let wrong: unknown
    const tooStill = () =>
      end(new AppError('request_timeout', `no byte of the body arrived for ${stillMs / 1000} s`))
    const still = setTimeout(tooStill, stillMs)
    const end = (error?: unknown) => {
      clearTimeout(still)
      raw.off('data', take).off('end', whole).off('error', gone).off('close', gone)
      if (error) reject(error)
      else resolve(body.subarray(0, filled))
    }
    const whole = () => end(wrong)
    const gone = () => end(brokenOff())
    const take = (chunk: Buffer) => {
      still.refresh()
      const needed = filled + chunk.length
      if (needed > most) return end(tooLarge())
      if (needed > FIRST_BYTES && filled <= FIRST_BYTES) {
        try {
          look(body.subarray(0, filled))
        } catch (error) {
          // The rest is read all the same: a client that still sends would not read the error.
          wrong = error
        }
      }
      if (wrong === undefined) {
        if (needed > body.length) {
          const larger = Buffer.allocUnsafeSlow(Math.min(most, Math.max(needed, 2 * body.length)))
          body.copy(larger)
          body = larger
        }
        chunk.copy(body, filled)
      }
      filled = needed
      if (filled !== bytes) pause()
    }
    raw.on('data', take).on('end', whole).on('error', gone).on('close', gone)
  })
}

function brokenOff(): AppError {
  return new AppError('bad_request', 'the body broke off')
}

function tooLarge(): AppError {
  return new AppError('too_large', 'the request body is larger than MAX_BODY_BYTES')
}
