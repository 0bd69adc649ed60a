import type { Socket } from 'node:net'

/** All connections of one address. */
interface Peer {
  readonly address: string
  count: number
  /** Connections that owe no answer. The first has been idle for longest. */
  readonly idle: Set<Socket>
}

/**
 * Counts connections by address, and chooses the one that is closed to make room for another. An address has no limit of its
 * own: behind a proxy all clients have the same. The time for each step does not grow with the number of connections.
 */
export class ConnectionsByAddress {
  readonly #peers = new Map<string, Peer>()
  readonly #peerOf = new Map<Socket, Peer>()
  /** Addresses by their number of connections. */
  readonly #byCount: Set<Peer>[] = []

  get count(): number {
    return this.#peerOf.size
  }

  sockets(): Iterable<Socket> {
    return this.#peerOf.keys()
  }

  add(socket: Socket): void {
    const address = addressOf(socket)
    const peer = this.#peers.get(address) ?? { address, count: 0, idle: new Set() }
    this.#peers.set(address, peer)
    this.#peerOf.set(socket, peer)
    peer.idle.add(socket)
    this.#change(peer, 1)
  }

  remove(socket: Socket): void {
    const peer = this.#peerOf.get(socket)
    if (!peer) return
    this.#peerOf.delete(socket)
    peer.idle.delete(socket)
    this.#change(peer, -1)
    if (peer.count === 0) this.#peers.delete(peer.address)
  }

  busy(socket: Socket): void {
    this.#peerOf.get(socket)?.idle.delete(socket)
  }

  idle(socket: Socket): void {
    this.#peerOf.get(socket)?.idle.add(socket)
  }

  /**
   * The longest idle connection of the address with most connections. That address must have at least as many as the address
   * of `newcomer`: an address never takes a connection from one that has fewer.
   */
  findIdle(newcomer: Socket): Socket | undefined {
    const own = this.#peers.get(addressOf(newcomer))?.count ?? 0
    for (let count = this.#byCount.length - 1; count >= Math.max(1, own); count--) {
      for (const { idle } of this.#byCount[count] ?? []) {
        const [longest] = idle
        if (longest) return longest
      }
    }
    return undefined
  }

  #change(peer: Peer, by: 1 | -1): void {
    this.#byCount[peer.count]?.delete(peer)
    peer.count += by
    const alike = this.#byCount[peer.count] ?? new Set()
    if (peer.count > 0) this.#byCount[peer.count] = alike.add(peer)
    // The count changes by one, so at most one set at the end is empty.
    if (this.#byCount.at(-1)?.size === 0) this.#byCount.pop()
  }
}

/** For IPv6 its network: a machine usually owns all addresses of one. */
function addressOf({ remoteAddress = '' }: Socket): string {
  return remoteAddress.includes('.') ? remoteAddress : networkOf(remoteAddress)
}

/** The first 64 bits. `::` may stand for some of them. */
function networkOf(address: string): string {
  const [before = '', after] = address.split('::')
  const first = before.split(':')
  if (after === undefined) return first.slice(0, 4).join(':')
  const groups = before === '' ? [] : first
  const last = after === '' ? [] : after.split(':')
  const zeros = Array<string>(8 - groups.length - last.length).fill('0')
  return [...groups, ...zeros, ...last].slice(0, 4).join(':')
}
