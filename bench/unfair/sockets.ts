import { platform } from 'node:os'
import { type Attack, attackWith } from './attack.ts'
import { mostOpenFiles } from './usage.ts'

/** As many as a service lets in by itself, where this machine lets a process have so many. */
const CONNECTIONS = Math.min(10_000, mostOpenFiles() - 2_000)
const MORE = 50
/** Linux has all of 127.0.0.0/8; elsewhere attacker and victim share one address. */
const addresses = (many: number) =>
  platform() === 'linux'
    ? { from: Array.from({ length: many }, (_, index) => `127.0.1.${index + 1}`) }
    : undefined

const staying = (id: string, what: string, from: ReturnType<typeof addresses>): Attack => ({
  id,
  what: `${(CONNECTIONS + MORE).toLocaleString('en')} ${what}`,
  env: { MAX_CONNECTIONS: String(CONNECTIONS) },
  freshProbes: true,
  start: ({ service }) =>
    attackWith({
      url: service.url,
      connections: CONNECTIONS + MORE,
      requests: [],
      manner: 'hold',
      mostSockets: mostOpenFiles() - 500,
      ...from,
    }),
})

/** Row 10: connections without a key that say nothing and are never closed. The victim comes from another address. */
export const sockets: readonly Attack[] = [
  staying('10a', 'silent sockets from one address, never closed', addresses(1)),
  staying('10b', 'silent sockets from 100 addresses, never closed', addresses(100)),
]
