import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { rootPath } from '../../src/contract/paths.ts'
import { type Attack, attackWith } from './attack.ts'
import { keep } from './children.ts'
import { toGet } from './requests.ts'
import { addLargeRoot } from './world.ts'

/** Processes that only use the processor, as a browser does beside an attack. */
function spinning(id: string, what: string, processes: number): Attack {
  return {
    id,
    what,
    control: true,
    async start() {
      const all = Array.from({ length: processes }, () =>
        keep(spawn(process.execPath, ['-e', 'for(;;);'], { stdio: 'ignore' })),
      )
      return {
        tell: async () => ({}),
        async stop() {
          const ended = all.map((each) => once(each, 'exit'))
          for (const each of all) each.kill('SIGKILL')
          await Promise.all(ended)
        },
      }
    },
  }
}

/** Honest load, measured like an attack, to compare the attacks with. */
export const controls: readonly Attack[] = [
  spinning('0a', 'a busy machine: another process uses one core, and asks for nothing', 1),
  {
    id: '0b',
    what: 'an honest client that is busy: another key reads one small root in a loop, 4 connections',
    control: true,
    async start({ world: { storage, attacker }, service }) {
      const rootId = await addLargeRoot(storage, attacker, 10)
      const url = service.url + rootPath(attacker.projectId, rootId)
      return await attackWith({
        url,
        connections: 4,
        requests: [toGet(url, attacker.read)],
        manner: 'loop',
      })
    },
  },
  {
    id: '0c',
    what: '500 connections at once that ask for /healthz, close after 3 s and come back',
    control: true,
    async start({ world: { attacker }, service }) {
      const url = `${service.url}/healthz`
      const requests = [toGet(url, attacker.read)]
      return await attackWith({ url, connections: 500, requests, manner: 'hold', heldMs: 3_000 })
    },
  },
  spinning(
    '0d',
    'a very busy machine: other processes use every core, and ask for nothing',
    availableParallelism(),
  ),
]
