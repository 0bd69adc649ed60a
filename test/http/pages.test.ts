import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RootResult } from '../../src/contract/results.ts'
import { decodeCursor, encodeCursor } from '../../src/store/cursor.ts'
import { startService, type TestService } from '../support/http/service.ts'
import { anyCharacter } from '../support/runner/any-character.ts'
import { rounds } from '../support/runner/rounds.ts'
import { addRows, makeProject, rootsUrl } from '../support/store/results.ts'

async function list(service: TestService, path: string) {
  const response = await service.get(path)
  expect(response.status).toBe(200)
  const next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1]
  return { ids: ((await response.json()) as RootResult[]).map((root) => root.rootId), next }
}

/** Roots at few instants, so that most share one with others. */
async function serviceWithTies(count: number) {
  const service = await startService()
  const projectId = await makeProject(service.store)
  const roots: { created: number; rootId: string }[] = []
  for (let index = 0; index < count; index++) {
    const created = 1_000 + ((index * 7) % 4)
    roots.push({ created, rootId: await addRows(service.store, projectId, { created, jobs: index % 3 }) })
  }
  roots.sort((a, b) => b.created - a.created || (a.rootId < b.rootId ? -1 : 1))
  return { service, projectId, expected: roots.map((root) => root.rootId) }
}

describe('order', () => {
  test('roots are newest first, then by rootId', async () => {
    const { service, projectId, expected } = await serviceWithTies(23)
    expect((await list(service, rootsUrl(projectId))).ids).toEqual(expected)
  })

  test('roots that take more than one look-up are complete and in order', async () => {
    const { service, projectId, expected } = await serviceWithTies(230)
    expect((await list(service, rootsUrl(projectId))).ids).toEqual(expected)
  })
})

describe('list pages', () => {
  test.each([1, 4, 22, 23, 24, 100])(
    'are linked: with limit=%i, every root is listed once, in order',
    async (limit) => {
      const { service, projectId, expected } = await serviceWithTies(23)
      const seen: string[] = []
      let path: string | undefined = `${rootsUrl(projectId)}?limit=${limit}`
      while (path) {
        const page = await list(service, path)
        expect(page.ids.length).toBeLessThanOrEqual(limit)
        seen.push(...page.ids)
        path = page.next
      }
      expect(seen).toEqual(expected)
    },
  )

  test('that are empty are an empty array', async () => {
    const { service, projectId, expected } = await serviceWithTies(3)
    const empty = await makeProject(service.store)
    const beyond = encodeCursor({ created: 0, id: expected[0] ?? '' })
    for (const path of [`${rootsUrl(empty)}?limit=5`, `${rootsUrl(projectId)}?limit=5&cursor=${beyond}`]) {
      const response = await service.get(path)
      expect([path, response.status, await response.text()]).toEqual([path, 200, '[]'])
      expect(response.headers.get('link')).toBeNull()
    }
  })

  test('have no Link if no parameter is given', async () => {
    const { service, projectId } = await serviceWithTies(3)
    expect((await list(service, rootsUrl(projectId))).next).toBeUndefined()
  })

  test('do not shift when a root is added between two of them', async () => {
    const { service, projectId, expected } = await serviceWithTies(10)
    const first = await list(service, `${rootsUrl(projectId)}?limit=5`)
    await addRows(service.store, projectId, { created: 9_999 })
    const second = await list(service, first.next ?? '')
    expect([...first.ids, ...second.ids]).toEqual(expected)
  })

  test('of an upper-case projectId link to its lower-case path', async () => {
    const { service, projectId } = await serviceWithTies(3)
    const { next } = await list(service, `${rootsUrl(projectId.toUpperCase())}?limit=1`)
    expect(next).toContain(rootsUrl(projectId))
  })
})

describe('query', () => {
  test('unknown parameters are ignored', async () => {
    const { service, projectId, expected } = await serviceWithTies(3)
    expect((await list(service, `${rootsUrl(projectId)}?foo=1&limits=0&_=x`)).ids).toEqual(expected)
  })

  test.each(['0', '101', '-1', '1.5', 'ten', '', '1&limit=2', '99999999999999999999'])(
    'limit=%s is 400',
    async (limit) => {
      const { service, projectId } = await serviceWithTies(1)
      const response = await service.get(`${rootsUrl(projectId)}?limit=${limit}`)
      expect(response.status).toBe(400)
      expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
      expect(await response.json()).toMatchObject({
        code: 'bad_request',
        status: 400,
        detail: expect.stringContaining('limit'),
        errors: [{ parameter: 'limit' }],
      })
    },
  )

  test('all mistakes are named at once', async () => {
    const { service, projectId } = await serviceWithTies(1)
    const response = await service.get(`${rootsUrl(projectId)}?limit=0&cursor=${'x'.repeat(300)}`)
    const { errors } = (await response.json()) as { errors: { parameter: string }[] }
    expect(errors.map((error) => error.parameter).sort()).toEqual(['cursor', 'limit'])
  })

  test('property: any cursor gives 200 or 400', async () => {
    const { service, projectId } = await serviceWithTies(2)
    const cursors = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 60 }),
      fc.base64String({ maxLength: 80 }),
      fc
        .tuple(fc.integer(), fc.uuid())
        .map(([created, id]) => Buffer.from(`${created}.${id}`).toString('base64url')),
    )
    await fc.assert(
      fc.asyncProperty(cursors, async (cursor) => {
        const response = await service.get(`${rootsUrl(projectId)}?cursor=${encodeURIComponent(cursor)}`)
        await response.arrayBuffer()
        expect([200, 400]).toContain(response.status)
      }),
      { numRuns: rounds(150) },
    )
  })

  test('property: a cursor is decoded to its value, and has only one spelling', () => {
    fc.assert(
      fc.property(fc.nat({ max: 8_640_000_000_000_000 }), fc.uuid(), fc.nat(60), (created, rootId, at) => {
        const cursor = encodeCursor({ created, id: rootId })
        expect(decodeCursor(cursor)).toEqual({ created, id: rootId })
        expect(() => decodeCursor(`${cursor}=`)).toThrow()
        expect(() => decodeCursor(cursor.slice(0, at % cursor.length))).toThrow()
      }),
    )
  })
})
