import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type Handler, serveSite } from './camera.ts'

/** The addresses of the canaries, all on one port. */
const CAGES = ['127.0.0.1', '127.0.0.2', '::1']

export interface Canary {
  readonly port: number
  /** Requested paths, at any address. */
  readonly asked: Set<string>
  connections(): number
  datagrams: number
  reset(): void
  close(): Promise<void>
}

export async function openCanary(): Promise<Canary> {
  const sing: Handler = (answer) =>
    void answer
      .writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/plain' })
      .end('tweet')
  const first = await serveSite({ '*': sing }, { host: CAGES[0] })
  const { port } = first
  const others = await Promise.all(CAGES.slice(1).map((host) => serveSite({ '*': sing }, { host, port })))
  const sites = [first, ...others]
  const sockets = CAGES.map((host) => createSocket(host.includes(':') ? 'udp6' : 'udp4'))
  for (const [index, socket] of sockets.entries()) {
    socket.on('message', () => canary.datagrams++)
    await once(socket.bind(port, CAGES[index]), 'listening')
  }
  const canary: Canary = {
    port,
    get asked() {
      return new Set(sites.flatMap((site) => site.asked))
    },
    connections: () => sites.reduce((sum, site) => sum + site.connections, 0),
    datagrams: 0,
    reset() {
      for (const site of sites) {
        site.asked.length = 0
        site.connections = 0
      }
      canary.datagrams = 0
    },
    async close() {
      await Promise.all(sites.map((site) => site.close()))
      for (const socket of sockets) socket.close()
    },
  }
  return canary
}
