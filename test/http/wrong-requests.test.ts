import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Problem } from '../../src/contract/problem.ts'
import { jobIdOf, listRoots as list, refusal, UUID } from '../support/http/request-answers.ts'
import { anyRequest } from '../support/http/request-values.ts'
import { begin, leadsInto, newPage, startAccepting } from '../support/http/requests.ts'
import { rounds } from '../support/runner/rounds.ts'

describe('a wrong request', () => {
  test('gets all mistakes at once, each with its place', async () => {
    const service = await startAccepting()
    const response = await service.post({
      webhook: 'x',
      screenshotParameter: { width: 0, height: 'x', fullPage: 1, tags: [1], style: 1 },
      urls: [newPage(), { url: 'x', loadingTime: 0, clicks: [{}] }],
    })
    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    expect(await response.json()).toEqual({
      type: 'about:blank',
      title: 'The request is not valid',
      status: 400,
      code: 'bad_request',
      detail: 'the request has mistakes: see errors',
      errors: [
        {
          pointer: '#/webhook',
          detail:
            'is not known; known are screenshotParameter, urls, failOn, scheduledTs, scheduleDescription',
        },
        { pointer: '#/screenshotParameter/width', detail: 'must be a whole number from 1 to 4096' },
        { pointer: '#/screenshotParameter/height', detail: 'must be a whole number from 1 to 16384' },
        { pointer: '#/screenshotParameter/fullPage', detail: 'must be true or false' },
        {
          pointer: '#/screenshotParameter/style',
          detail: 'must be one of "macos-simple-dark", "macos-simple-light"',
        },
        { pointer: '#/screenshotParameter/tags/0', detail: 'must be a string of 1 to 100 characters' },
        { pointer: '#/urls/1/url', detail: 'must be an address that begins with http:// or https://' },
        { pointer: '#/urls/1/name', detail: 'must be a string of 1 to 500 characters' },
        { pointer: '#/urls/1/loadingTime', detail: 'must be a whole number from 1 to 100000' },
        { pointer: '#/urls/1/clicks/0/elementId', detail: 'must be a string of 1 to 1000 characters' },
      ],
      requestId: response.headers.get('x-request-id'),
    })
  })

  test('is checked against the limits of the settings', async () => {
    const service = await startAccepting({
      MAX_URLS_PER_REQUEST: '2',
      MAX_LOADING_TIME: '5s',
      MAX_VIEWPORT_WIDTH: '800',
      MAX_VIEWPORT_HEIGHT: '600',
    })
    const ask = async (width: number, height: number, pages: object[]) =>
      await service.post({ screenshotParameter: { width, height }, urls: pages })
    const page = (loadingTime: number) => ({ ...newPage(), loadingTime })
    expect((await ask(800, 600, [page(5_000), newPage()])).status).toBe(201)
    expect(await refusal(await ask(801, 601, [page(5_001)]))).toEqual([
      ...[400, 'bad_request'],
      ...['#/screenshotParameter/width', '#/screenshotParameter/height', '#/urls/0/loadingTime'],
    ])
    expect(await refusal(await ask(1, 1, [newPage(), newPage(), newPage()]))).toEqual([
      ...[400, 'bad_request', '#/urls'],
    ])
    const [root] = await list(service)
    // The default never exceeds the limit.
    for (const expected of [5_000, 5_000]) {
      expect((await begin(service.store, root?.rootId ?? '')).loadingTime).toBe(expected)
    }
  })

  test('of any kind gets 201, or a 400 whose every pointer leads into it', async () => {
    const service = await startAccepting()
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(anyRequest, async (body) => {
        const raw = JSON.stringify(body)
        const response = await service.post(undefined, { raw })
        if (response.status === 201) {
          accepted++
          expect(await jobIdOf(response)).toMatch(UUID)
          return
        }
        const { errors = [] } = (await response.json()) as Problem
        expect([response.status, errors.length > 0]).toEqual([400, true])
        for (const { pointer = '' } of errors)
          expect([pointer, leadsInto(JSON.parse(raw), pointer)]).toEqual([pointer, true])
      }),
      { numRuns: rounds(150) },
    )
    expect(accepted).toBeGreaterThan(5)
    expect(await list(service)).toHaveLength(accepted)
    expect(service.logLines.join('')).not.toMatch(/"level":(50|60)/)
  })

  test('with a hundred thousand mistakes gets a short answer', async () => {
    const service = await startAccepting()
    const names = Array.from({ length: 100_000 }, (_, index) => `"${index.toString(36)}":1`)
    const response = await service.post(undefined, { raw: `{${names.join(',')}}` })
    expect(response.status).toBe(400)
    expect((await response.text()).length).toBeLessThan(200_000)
  })

  test('nested as deep as the stack is refused, too', async () => {
    const service = await startAccepting()
    for (const [open, close] of [
      ['[', ']'],
      ['{"urls":', '}'],
    ]) {
      const depth = Math.floor(1_000_000 / (`${open}${close}`.length + 1))
      const raw = `${open?.repeat(depth)}1${close?.repeat(depth)}`
      expect((await service.post(undefined, { raw })).status).toBe(400)
    }
  })
})
