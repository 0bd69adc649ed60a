import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { EgressError, type EgressReason } from '../egress/failure.ts'
import type { Reach } from '../egress/guard.ts'
import { type Target, targetOf } from '../egress/target.ts'
import { request } from '../node-http.ts'
import type { Attempted } from '../store/webhooks.ts'
import { KeptConnections } from './kept-connections.ts'

/** For everything until the head of the answer: look-up, connection, sending, waiting. */
const TIMEOUT_MS = 15_000
/** The bytes of an answer that are kept. */
const ANSWER_BYTES = 200
/** How long to wait for them after the head. */
const ANSWER_MS = 1_000
const MAX_HEADER_BYTES = 16_384

export interface Post {
  /** Connections are kept for one project, and used by no other. */
  readonly projectId: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The result of an attempt: a status, or a problem. */
export interface Sent extends Omit<Attempted, 'at'> {
  readonly reason?: EgressReason
  readonly retryAfter?: string
}

/** Sends one POST. Redirects are not followed. Throws only if the signal was aborted. */
export type Send = (post: Post, signal: AbortSignal) => Promise<Sent>

export interface SendRules {
  readonly reach: Reach
  readonly timeoutMs?: number
}

export function createSend({ reach, timeoutMs = TIMEOUT_MS }: SendRules): Send {
  const kept = new KeptConnections()
  const connect = async (url: string, target: Target, over: AbortSignal) => {
    const socket = await reach(target, over)
    try {
      return url.startsWith('https:') ? await encrypt(socket, target, over) : socket
    } catch (error) {
      socket.destroy()
      throw error
    }
  }
  /** Throws if there is no answer. */
  const exchange = async (stream: Socket, post: Post, over: AbortSignal) => {
    try {
      const answer = await ask(stream, post, over)
      return { answer, text: readBeginning(answer) }
    } catch (error) {
      stream.destroy()
      throw error
    }
  }
  return async (post, signal) => {
    const began = performance.now()
    const late = AbortSignal.timeout(timeoutMs)
    const over = AbortSignal.any([signal, late])
    const elapsed = () => Math.round(performance.now() - began)
    let stream: Socket | undefined
    try {
      const target = targetOf(post.url)
      if (!target) return { ms: 0, problem: 'Its address is not valid.' }
      const place = `${post.projectId} ${new URL(post.url).origin}`
      const old = kept.take(place)
      // A receiver may close a kept connection at any time. Then the request is sent once more.
      let exchanged = old && (await exchange(old, post, over).catch(() => undefined))
      over.throwIfAborted()
      stream = exchanged ? old : await connect(post.url, target, over)
      exchanged ??= await exchange(stream as Socket, post, over)
      const { answer } = exchanged
      const ms = elapsed()
      const retryAfter = answer.headers['retry-after']
      const [status = 0, text] = [answer.statusCode, await exchanged.text]
      // After a failure the next attempt is not soon.
      if (status >= 200 && status < 300) {
        kept.keep(place, stream as Socket, answer)
        stream = undefined
      }
      return { ms, status, answer: text, ...(retryAfter !== undefined && { retryAfter }) }
    } catch (error) {
      signal.throwIfAborted()
      const ms = elapsed()
      if (late.aborted) return { ms, problem: `There was no answer within ${timeoutMs / 1_000} s.` }
      return { ms, problem: explain(error), ...(error instanceof EgressError && { reason: error.reason }) }
    } finally {
      stream?.destroy()
    }
  }
}

/** The certificate must be valid for the name, or the address, that the webhook has. */
function encrypt(socket: Socket, { host, isAddress }: Target, over: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const secure = connectTls({
      ...{ socket, host, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] },
      ...(!isAddress && { servername: host }),
    })
    const giveUp = () => secure.destroy(new Error('nobody waits for the answer'))
    over.addEventListener('abort', giveUp, { once: true })
    if (over.aborted) giveUp()
    secure.once('secureConnect', () => {
      over.removeEventListener('abort', giveUp)
      resolve(secure)
    })
    secure.on('error', reject)
    // Some servers hang up without a word.
    secure.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })))
  })
}

/** On a connection that exists. So no agent and no proxy of the environment is used, and nothing is looked up. */
function ask(stream: Socket, { url, headers, body }: Post, signal: AbortSignal): Promise<IncomingMessage> {
  const { host, pathname, search } = new URL(url)
  return new Promise((resolve, reject) => {
    const asked = request({
      ...{ method: 'POST', path: pathname + search, createConnection: () => stream, signal },
      maxHeaderSize: MAX_HEADER_BYTES,
      headers: {
        host,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        accept: '*/*',
        connection: 'keep-alive',
        ...headers,
      },
    })
    asked.once('response', resolve)
    asked.once('upgrade', (_answer, upgraded) => {
      upgraded.destroy()
      reject(new Error('it asked for another protocol'))
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

/** The part of the body that came within a moment. A body that breaks off is not a failure: the status was there. */
function readBeginning(answer: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const end = () => {
      clearTimeout(timer)
      resolve(toPlainText(Buffer.concat(chunks).subarray(0, ANSWER_BYTES)))
    }
    const timer = setTimeout(end, ANSWER_MS)
    answer.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= ANSWER_BYTES) end()
    })
    answer.once('end', end).once('error', end).once('close', end)
  })
}

/** Without control characters and characters that change the direction of text. */
export function toPlainText(bytes: Uint8Array): string {
  return new TextDecoder()
    .decode(bytes)
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]+/gu, ' ')
    .replace(/\uFFFD+$/, '')
    .trim()
}

function explain(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof EgressError) return `${message.replace(/\.$/, '')}.`
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'It closed the connection before it answered.'
  if (code?.startsWith('HPE_')) return `Its answer is not valid HTTP (${code}).`
  if (code !== undefined && /CERT|SELF_SIGNED|ISSUER|SIGNATURE|ALTNAME|SSL|TLS/.test(code))
    return `Its certificate or encryption is not valid (${code}).`
  return `The request failed (${code ?? message}).`
}
