import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Project } from '../../src/contract/browsing.ts'
import { bothDatabases } from '../support/http/requests.ts'
import { startService, type TestService } from '../support/http/service.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { makeKey, makeProject } from '../support/store/results.ts'

const postgres = usePostgres()

async function serviceWithProjects(count: number, env: Record<string, string> = {}) {
  const service = await startService(env)
  const projects: Project[] = []
  for (let index = 0; index < count; index++) {
    const project = { projectId: randomUUID(), name: `Größe "${index}"`, created: 1_000 + (index % 3) }
    await service.store.createProject(project)
    projects.push({ projectId: project.projectId, name: project.name, meta: { created: project.created } })
  }
  projects.sort((a, b) => a.meta.created - b.meta.created || (a.projectId < b.projectId ? -1 : 1))
  return { service, projects }
}

async function readAll(service: TestService, first: string): Promise<Project[]> {
  const seen: Project[] = []
  for (let path: string | undefined = first; path; ) {
    const response = await service.get(path)
    expect(response.status).toBe(200)
    seen.push(...((await response.json()) as Project[]))
    path = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1]
  }
  return seen
}

describe.each(bothDatabases(postgres))('projects (%s)', (_, __, newWorld) => {
  test('are listed oldest first, in list pages', async () => {
    const { service, projects } = await serviceWithProjects(7, await newWorld())
    for (const query of ['', '?limit=1', '?limit=3', '?limit=7']) {
      expect(await readAll(service, `/api/projects${query}`)).toEqual(projects)
    }
    const [first] = projects
    const response = await service.get(`/api/projects/${first?.projectId.toUpperCase()}`)
    expect([response.status, await response.json()]).toEqual([200, { ...first, pictures: 0 }])
  })

  test('are an empty list at first', async () => {
    const service = await startService(await newWorld())
    const response = await service.get('/api/projects')
    expect([await response.text(), response.headers.get('link')]).toEqual(['[]', null])
  })
})

describe('projects', () => {
  test('come in list pages of PAGE_LIMIT without a limit', async () => {
    const { service, projects } = await serviceWithProjects(5, { PAGE_LIMIT: '2' })
    const page = (await (await service.get('/api/projects')).json()) as Project[]
    expect(page).toEqual(projects.slice(0, 2))
    expect(await readAll(service, '/api/projects')).toEqual(projects)
  })

  test('must be revalidated, and HEAD is GET without a body', async () => {
    const { service, projects } = await serviceWithProjects(3)
    for (const path of ['/api/projects?limit=1', `/api/projects/${projects[0]?.projectId}`]) {
      const [get, head] = [await service.get(path), await fetch(service.url + path, { method: 'HEAD' })]
      for (const name of ['cache-control', 'content-type', 'content-length', 'link']) {
        expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)])
      }
      expect([head.status, await head.text()]).toEqual([200, ''])
      expect(get.headers.get('cache-control')).toBe('private, no-cache')
      expect(get.headers.get('content-type')).toBe('application/json; charset=utf-8')
    }
  })

  test('are 400 with a bad limit or cursor, and 404 if unknown or malformed', async () => {
    const { service } = await serviceWithProjects(1)
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=x',
      'cursor=',
      'cursor=x',
      `cursor=${'x'.repeat(201)}`,
    ]) {
      expect([query, (await service.get(`/api/projects?${query}`)).status]).toEqual([query, 400])
    }
    for (const id of [randomUUID(), 'x', '%00', `${randomUUID()}x`]) {
      expect([id, (await service.get(`/api/projects/${id}`)).status]).toEqual([id, 404])
    }
  })

  test('are limited to its own one for a key', async () => {
    const service = await startService({ AUTH: 'keys' })
    const [mine, theirs] = [await makeProject(service.store), await makeProject(service.store)]
    const { secret: authorization } = await makeKey(service.store, mine)
    const ask = async (path: string) => {
      const response = await service.get(path, { authorization })
      return [response.status, (await response.text()).replace(/"requestId":"[^"]+"/, '')] as const
    }
    const [status, body] = await ask('/api/projects')
    expect([status, JSON.parse(body)]).toEqual([
      200,
      [{ projectId: mine, name: 'Test', meta: { created: 1_700_000_000_000 } }],
    ])
    expect((await ask(`/api/projects/${mine}`))[0]).toBe(200)
    expect(await ask(`/api/projects/${theirs}`)).toEqual(await ask(`/api/projects/${randomUUID()}`))
    expect((await ask(`/api/projects/${theirs}`))[0]).toBe(404)
    expect((await service.get('/api/projects')).status).toBe(401)
    expect((await service.get(`/api/projects/${mine}`)).status).toBe(401)
    // Behind the cursor there are no other projects for this key.
    const cursor = Buffer.from(`1700000000000.${mine}`).toString('base64url')
    expect(await ask(`/api/projects?cursor=${cursor}`)).toEqual([200, '[]'])
  })

  test('answer other methods with 405 and Allow', async () => {
    const { service, projects } = await serviceWithProjects(1)
    const ask = async (method: string, path: string) =>
      (await fetch(service.url + path, { method })).headers.get('allow')
    expect(await ask('PUT', '/api/projects')).toBe('GET, HEAD, POST')
    expect(await ask('PATCH', `/api/projects/${projects[0]?.projectId}`)).toBe('DELETE, GET, HEAD, POST, PUT')
  })
})
