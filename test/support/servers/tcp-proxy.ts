import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface TcpProxy {
  readonly port: number
  /** The port that new connections lead to. */
  target: number
  /** `pass` forwards; `swallow` keeps connections open, accepts new ones, and lets no byte through. */
  mode: 'pass' | 'swallow'
  /** Ends every connection; new ones are accepted. */
  cut(): void
  close(): Promise<void>
}

/** Stands between a client and a server on 127.0.0.1, and can become a black hole, or change the bytes. */
export async function startProxy(
  target: number,
  change: (chunk: Buffer, from: 'client' | 'server') => Buffer = (chunk) => chunk,
): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((client) => {
    const upstream = connect(proxy.target, '127.0.0.1')
    for (const [from, to, name] of [
      [client, upstream, 'client'],
      [upstream, client, 'server'],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => proxy.mode === 'pass' && to.write(change(chunk, name)))
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        // A black hole hides even the end of a connection.
        if (proxy.mode === 'pass') to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    target,
    mode: 'pass',
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      proxy.cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}
