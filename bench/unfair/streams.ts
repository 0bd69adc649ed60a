import { paths, pathTo } from '../../src/contract/paths.ts'
import { type Attack, attackWith, type Setup } from './attack.ts'
import { keepChanging } from './change-pages.ts'
import { toGet } from './requests.ts'
import { addWaitingRoot } from './world.ts'

const PAGES = 100
const ADDRESS_BYTES = 8_000

/** Row 1: many clients watch one large root that changes. The bench changes it: this service captures nothing. */
const watching = (id: string, what: string, connections: number, path: string): Attack => ({
  id,
  what,
  env: { CAPTURE_CONCURRENCY: '0' },
  // The services of other attacks would capture the pages that are left.
  ownWorld: true,
  async start({ world: { storage, attacker }, service }: Setup) {
    const { projectId } = attacker
    const rootId = await addWaitingRoot(storage, attacker, { pages: PAGES, addressBytes: ADDRESS_BYTES })
    const changing = keepChanging(storage, { projectId, rootId })
    const order = {
      url: service.url,
      connections,
      requests: [toGet(service.url + pathTo(path, projectId, rootId), attacker.read)],
      manner: 'hold',
      unread: 'half',
    } as const
    return await attackWith(order, () => changing.stop())
  },
})

export function streams(connections: number): readonly Attack[] {
  const many = connections.toLocaleString('en')
  return [
    watching(
      '1a',
      `${many} event streams of a root of 877 KB that changes, half of them not read`,
      connections,
      paths.watchStatus,
    ),
    watching('1b', `${many} times ?wait= for the same root`, connections, `${paths.getStatus}?wait=30`),
  ]
}
