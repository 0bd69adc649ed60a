import { connect, type Socket } from 'node:net'
import { EgressError, type EgressReason } from './failure.ts'

/** Addresses of one name that are tried. */
export const MAX_ATTEMPTS = 4

/** If several addresses fail, the failure that says most is reported. */
const TELLING: readonly EgressReason[] = ['refused', 'timeout', 'unreachable']

/**
 * Connects to the first of these addresses that accepts, within `ms` in all. They are IP addresses: nothing is looked
 * up here.
 */
export async function connectToFirst(
  addresses: readonly string[],
  port: number,
  ms: number,
  signal: AbortSignal,
): Promise<Socket> {
  const failures: EgressError[] = []
  const end = performance.now() + ms
  const tried = addresses.slice(0, MAX_ATTEMPTS)
  for (const [index, address] of tried.entries()) {
    const share = (end - performance.now()) / (tried.length - index)
    try {
      return await connectTo(address, port, Math.max(share, 1), signal)
    } catch (error) {
      signal.throwIfAborted()
      failures.push(error as EgressError)
    }
  }
  const told = TELLING.map((reason) => failures.find((failure) => failure.reason === reason)).find(Boolean)
  throw told ?? new EgressError('unreachable', 'there is no address to connect to')
}

function connectTo(address: string, port: number, ms: number, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, allowHalfOpen: true, noDelay: true })
    const where = `${address}, port ${port}`
    const late = () =>
      socket.destroy(new EgressError('timeout', `${where} did not answer within ${Math.round(ms)} ms`))
    const timer = setTimeout(late, ms)
    const giveUp = () => socket.destroy(new EgressError('unreachable', 'nobody waits for the connection'))
    signal.addEventListener('abort', giveUp)
    const settle = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
    }
    socket.on('error', (error) => {
      settle()
      reject(error instanceof EgressError ? error : explain(where, error))
    })
    socket.once('connect', () => {
      settle()
      resolve(socket)
    })
  })
}

function explain(where: string, { code }: NodeJS.ErrnoException): EgressError {
  if (code === 'ECONNREFUSED') return new EgressError('refused', `${where} refused the connection`)
  if (code === 'ETIMEDOUT') return new EgressError('timeout', `${where} did not answer in time`)
  return new EgressError('unreachable', `${where} cannot be reached (${code ?? 'unknown error'})`)
}
