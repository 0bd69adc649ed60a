import { platform } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, attackWith } from './attack.ts'
import { mostOpenFiles, openFilesOf } from './usage.ts'

/** As many as MAX_CONNECTIONS allows by default, if this machine allows a process so many. */
const CONNECTIONS = Math.min(10_000, mostOpenFiles() - 2_000)
const MORE = 50
/** Linux has all addresses of 127.0.0.0/8. Elsewhere attacker and victim share one address. */
const HAS_MANY = platform() === 'linux'
const MANY = Array.from({ length: 100 }, (_, index) => `127.0.1.${index + 1}`)

const staying = (id: string, what: string, from?: readonly string[]): Attack => ({
  id,
  what: `${(CONNECTIONS + MORE).toLocaleString('en')} ${what}`,
  env: { MAX_CONNECTIONS: String(CONNECTIONS) },
  victim: { fresh: true, ...(HAS_MANY && { from: '127.0.0.2' }) },
  async start({ service }) {
    const underWay = await attackWith({
      url: service.url,
      connections: CONNECTIONS + MORE,
      requests: [],
      manner: 'hold',
      mostSockets: mostOpenFiles() - 500,
      ...(from && { from }),
    })
    await untilAccepted(service.pid)
    return underWay
  },
})

/**
 * Waits until no more connections come for three seconds: Node accepts one per iteration of its event loop, and the
 * attack counts only when all of them are open.
 */
async function untilAccepted(pid: number): Promise<void> {
  let most = 0
  for (let since = 0, waited = 0; since < 3_000 && waited < 40_000; since += 500, waited += 500) {
    await sleep(500)
    const open = openFilesOf(pid) ?? 0
    if (open > most) since = 0
    most = Math.max(most, open)
  }
}

/** Row 10: connections without a key that send nothing and are never closed. The victim has another address. */
export const sockets: readonly Attack[] = [
  staying('10a', 'silent sockets from one address, never closed'),
  ...(HAS_MANY ? [staying('10b', 'silent sockets from 100 addresses, never closed', MANY)] : []),
]
