import type { Socket } from 'node:net'

/** All connections of one address. */
interface Peer {
  readonly address: string
  count: number
  /** Those that owe no answer, the longest idle first. */
  readonly idle: Set<Socket>
}

/**
 * Who has how many connections, and which of them may go to make place for another. An address has no limit of its own:
 * behind a proxy everyone has the same. Nothing here takes longer because there are many connections.
 */
export class Places {
  readonly #peers = new Map<string, Peer>()
  readonly #peerOf = new Map<Socket, Peer>()
  /** By how many connections they have. */
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
   * The longest idle connection of the address that has most; of an address that has as many as the one of `newcomer`
   * at least, so that nobody takes a place from who has fewer.
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
    // One more or one fewer: there is never more than one empty set at the end.
    if (this.#byCount.at(-1)?.size === 0) this.#byCount.pop()
  }
}

/** Of IPv6 the network: whoever has one address there has all of them. */
function addressOf({ remoteAddress = '' }: Socket): string {
  return remoteAddress.includes('.') ? remoteAddress : networkOf(remoteAddress)
}

/** The first 64 bits, which `::` may shorten. */
function networkOf(address: string): string {
  const [before = '', after] = address.split('::')
  const first = before.split(':')
  if (after === undefined) return first.slice(0, 4).join(':')
  const groups = before === '' ? [] : first
  const last = after === '' ? [] : after.split(':')
  const zeros = Array<string>(8 - groups.length - last.length).fill('0')
  return [...groups, ...zeros, ...last].slice(0, 4).join(':')
}
