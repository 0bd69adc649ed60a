import type { Socket } from 'node:net'

/** All connections of one address. */
interface Peer {
  readonly address: string
  count: number
  /** Connections that owe no answer. The first has been idle for longest. */
  readonly idle: IdleList
}

/** An open connection, and its neighbours in the list of idle ones. */
export interface Connection {
  readonly socket: Socket
  readonly peer: Peer
  isOpen: boolean
  isIdle: boolean
  before: Connection | undefined
  after: Connection | undefined
}

/** Not a `Set`: every request takes its connection out and puts it back, and links cost less than a table. */
class IdleList {
  first: Connection | undefined
  #last: Connection | undefined

  append(connection: Connection): void {
    if (connection.isIdle) return
    connection.isIdle = true
    connection.before = this.#last
    if (this.#last) this.#last.after = connection
    else this.first = connection
    this.#last = connection
  }

  remove(connection: Connection): void {
    if (!connection.isIdle) return
    connection.isIdle = false
    const { before, after } = connection
    if (before) before.after = after
    else this.first = after
    if (after) after.before = before
    else this.#last = before
    connection.before = undefined
    connection.after = undefined
  }
}

/**
 * Counts connections by address, and chooses the one that is closed to make room for another. An address has no limit of its
 * own: behind a proxy all clients have the same. The time for each step does not grow with the number of connections.
 */
export class ConnectionsByAddress {
  readonly #peers = new Map<string, Peer>()
  readonly #open = new Set<Connection>()
  /** Addresses by their number of connections. */
  readonly #byCount: Set<Peer>[] = []

  get count(): number {
    return this.#open.size
  }

  sockets(): Iterable<Socket> {
    return this.#open.values().map(({ socket }) => socket)
  }

  add(socket: Socket): Connection {
    const address = addressOf(socket)
    const peer = this.#peers.get(address) ?? { address, count: 0, idle: new IdleList() }
    this.#peers.set(address, peer)
    const neighbours = { before: undefined, after: undefined }
    const connection: Connection = { socket, peer, isOpen: true, isIdle: false, ...neighbours }
    this.#open.add(connection)
    peer.idle.append(connection)
    this.#change(peer, 1)
    return connection
  }

  remove(connection: Connection): void {
    const { peer } = connection
    if (!this.#open.delete(connection)) return
    connection.isOpen = false
    peer.idle.remove(connection)
    this.#change(peer, -1)
    if (peer.count === 0) this.#peers.delete(peer.address)
  }

  busy(connection: Connection): void {
    connection.peer.idle.remove(connection)
  }

  idle(connection: Connection): void {
    if (connection.isOpen) connection.peer.idle.append(connection)
  }

  /**
   * The longest idle connection of the address with most connections. That address must have at least as many as the address
   * of `newcomer`: an address never takes a connection from one that has fewer.
   */
  findIdle(newcomer: Socket): Connection | undefined {
    const own = this.#peers.get(addressOf(newcomer))?.count ?? 0
    for (let count = this.#byCount.length - 1; count >= Math.max(1, own); count--) {
      for (const { idle } of this.#byCount[count] ?? []) if (idle.first) return idle.first
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
