import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Door } from '../../src/access/door.ts'
import { readConfig } from '../../src/config/config.ts'
import { openService } from '../../src/service/service.ts'
import { openStorage } from '../../src/service/storage.ts'
import type { Store } from '../../src/store/store.ts'
import { startService } from '../support/http/service.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { addPictures, makePng, makeProject, submittedJob } from '../support/store/results.ts'

/** A store that records its look-ups. */
function watched(store: Store, lookUps: string[]): Store {
  const watch = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_target, name) {
        const value = Reflect.get(target, name, target)
        if (name === 'browsing') return watch(value as object)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          if (/^find/.test(String(name))) lookUps.push(String(name))
          return value.apply(target, given)
        }
      },
    })
  return watch(store)
}

async function startWatched() {
  const config = readConfig({ PORT: '0', DATA_DIR: join(await makeFolder(), 'data'), LOG_LEVEL: 'silent' })
  const storage = await openStorage(config)
  const projectId = await makeProject(storage.store)
  const { rootId } = await addPictures(storage, projectId, {
    jobs: [submittedJob(await makePng())],
  })
  const [job] = await storage.store.jobsOf(projectId, [rootId])
  const lookUps: string[] = []
  const service = await openService(config, { ...storage, store: watched(storage.store, lookUps) })
  onTestFinished(() => service.close().then(storage.close))
  return { url: service.url, projectId, rootId, uuid: job?.uuid ?? '', lookUps }
}

test('a request looks up the project, root or job of its path once, however the ids are spelled', async () => {
  const { url, projectId, rootId, uuid, lookUps } = await startWatched()
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    lookUps.length = 0
    const answer = await fetch(`${url}/api/projects/${path}`, { headers })
    await answer.arrayBuffer()
    return { status: answer.status, lookUps: [...lookUps], etag: answer.headers.get('etag') }
  }
  const root = (project: string, id: string) => `${project}/screenshots/root/${id}`
  const places = (project: string, id: string, job: string) => [
    [project, 'findProject'],
    [`${project}/screenshots/root`, 'findProject'],
    [`${project}/screenshots/overview`, 'findProject'],
    [`${project}/pages`, 'findProject'],
    [`${project}/pages/history?url=x`, 'findProject'],
    [root(project, id), 'findRoot'],
    [`${root(project, id)}?limit=1`, 'findRoot'],
    [`${root(project, id)}/overview`, 'findRoot'],
    [`${root(project, id)}/pictures.zip`, 'findRoot'],
    [`${root(project, id)}/pictures/${job}`, 'findJob'],
  ]
  for (const ids of [
    [projectId, rootId, uuid],
    [projectId.toUpperCase(), rootId.toUpperCase(), uuid.toUpperCase()],
  ] as const) {
    for (const [path = '', lookUp = ''] of places(...ids)) {
      const { status, lookUps: made, etag } = await ask(path)
      expect([path, status, made]).toEqual([path, 200, [lookUp]])
      if (!etag) continue
      const again = await ask(path, { 'if-none-match': etag })
      expect([path, again.status, again.lookUps]).toEqual([path, 304, [lookUp]])
    }
  }
  // A malformed id is not looked up.
  for (const ids of [
    ['nothing', rootId, uuid],
    [projectId, 'nothing', uuid],
    [projectId, rootId, 'nothing'],
  ] as const) {
    const { status, lookUps: made } = await ask(`${root(ids[0], ids[1])}/pictures/${ids[2]}`)
    expect([ids, status, made]).toEqual([ids, 404, []])
  }
})

test('a key sees only its own project; everything else is the same not_found', async () => {
  const service = await startService()
  const projectId = await makeProject(service.store)
  const { rootId } = await addPictures(service, projectId, { jobs: [submittedJob(await makePng())] })
  const stranger = await makeProject(service.store)
  const [job] = await service.store.jobsOf(projectId, [rootId])
  const uuid = job?.uuid ?? ''
  const door = new Door(service.store)
  const mine = { projectId: projectId.toUpperCase(), jobId: rootId.toUpperCase(), uuid: uuid.toUpperCase() }
  for (const visitor of [
    undefined,
    { projectId, scope: 'read' },
    { projectId: undefined, scope: 'admin' },
  ] as const) {
    expect(await door.getProject(mine, visitor)).toMatchObject({ projectId })
    expect(await door.getRoot(mine, visitor)).toMatchObject({ projectId, rootId, jobCount: 1 })
    expect(await door.getJob(mine, visitor)).toMatchObject({ projectId, rootId, text: { uuid } })
  }
  const notFound = { code: 'not_found', message: 'Not found' }
  const foreign = { projectId: stranger, scope: 'write' } as const
  await expect(door.getProject(mine, foreign)).rejects.toMatchObject(notFound)
  await expect(door.getRoot(mine, foreign)).rejects.toMatchObject(notFound)
  await expect(door.getJob(mine, foreign)).rejects.toMatchObject(notFound)
  for (const wrong of [randomUUID(), `${rootId} `, '']) {
    await expect(door.getProject({ projectId: wrong }, undefined)).rejects.toMatchObject(notFound)
    await expect(door.getRoot({ ...mine, jobId: wrong }, undefined)).rejects.toMatchObject(notFound)
    await expect(door.getRoot({ ...mine, projectId: stranger }, undefined)).rejects.toMatchObject(notFound)
    await expect(door.getJob({ ...mine, jobId: wrong }, undefined)).rejects.toMatchObject(notFound)
    await expect(door.getJob({ ...mine, uuid: wrong }, undefined)).rejects.toMatchObject(notFound)
  }
})
