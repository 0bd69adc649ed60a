import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { rootsPath } from '../src/contract/paths.ts'
import { openStorage } from '../src/service/storage.ts'
import { addRows } from '../test/support/store/results.ts'
import { tell } from './outcome.ts'
import { underLoad } from './under-load.ts'
import { type Installation, useInstallations } from './worlds.ts'

const TIMES = 3
const READERS = 100
const ROOTS = 50
const JOBS = 500

/** A list that is too long for the buffers of a connection. */
async function openList(url: string): Promise<IncomingMessage> {
  const [response] = (await once(get(url), 'response')) as [IncomingMessage]
  response.pause()
  response.on('error', () => {})
  return response
}

for (const [world, newInstallation] of useInstallations()) {
  for (const [what, leave] of [
    [
      'give a long list up in the middle',
      async (responses: readonly IncomingMessage[]) => {
        for (const response of responses) response.destroy()
      },
    ],
    [
      'stop reading a long list for 5 s',
      async (responses: readonly IncomingMessage[]) => {
        await sleep(5_000)
        for (const response of responses) response.destroy()
      },
    ],
  ] as const) {
    test(`${READERS} clients ${what}, ${world}`, async ({ task }) => {
      let large: Installation | undefined
      const outcome = await underLoad(
        async (more) => {
          const installation = await newInstallation(more)
          // Rows without pictures, and so in a project of their own.
          const { store, close } = await openStorage(readConfig({ PORT: '0', ...installation.env }))
          const projectId = crypto.randomUUID()
          await store.createProject({ projectId, name: 'large', created: 1 })
          for (let root = 0; root < ROOTS; root++)
            await addRows(store, projectId, { created: root, jobs: JOBS })
          await close()
          large = { ...installation, projectId }
          return installation
        },
        TIMES,
        async ({ services: [first] }) => {
          const url = `${first?.url}${rootsPath(large?.projectId ?? '')}`
          await leave(await Promise.all(Array.from({ length: READERS }, () => openList(url))))
        },
      )
      tell(task, { world, ...outcome })
    })
  }
}
