import { describe, expect, test } from 'vitest'
import { startAccepting } from '../support/http/requests.ts'

describe('the documentation', () => {
  interface Described {
    paths: Record<string, Record<string, Operation>>
    components: { schemas: Record<string, unknown> }
  }
  interface Operation {
    operationId: string
    parameters: { name: string; in: string; schema: object }[]
    requestBody: { required?: boolean; content: Record<string, { schema: unknown }> }
    responses: Record<string, { content: Record<string, unknown>; headers?: object }>
  }
  const root = '/api/projects/{projectId}/screenshots/root/{jobId}'

  test('describes in /openapi.json how to request screenshots', async () => {
    const service = await startAccepting()
    const { paths, components } = (await (await service.get('/openapi.json')).json()) as Described
    const post = paths['/api/projects/{projectId}']?.['post']
    expect(post?.operationId).toBe('requestScreenshots')
    expect(post?.requestBody.content).toEqual({
      'application/json': { schema: { $ref: '#/components/schemas/ScreenshotRequest' } },
    })
    expect(post?.parameters.map(({ name, in: place }) => [name, place])).toEqual(
      expect.arrayContaining([
        ['projectId', 'path'],
        ['idempotency-key', 'header'],
      ]),
    )
    const statuses = ['201', '400', '401', '403', '404', '408', '409', '413', '415', '429', '503']
    expect(Object.keys(post?.responses ?? {})).toEqual(statuses)
    expect(post?.responses['201']?.headers).toHaveProperty('Location')
    expect(JSON.stringify(post?.responses['201'])).toContain('"jobId"')
    expect(components.schemas['ScreenshotRequest']).toMatchObject({
      required: ['screenshotParameter', 'urls'],
      properties: {
        screenshotParameter: { required: [] },
        urls: { items: { required: ['url', 'name'], properties: { loadingTime: { default: 15_000 } } } },
      },
    })
  })

  test('describes in /openapi.json the status of a root and its events', async () => {
    const service = await startAccepting()
    const { paths } = (await (await service.get('/openapi.json')).json()) as Described
    const status = paths[`${root}/status`]?.['get']
    expect(status?.parameters).toContainEqual(
      expect.objectContaining({
        name: 'wait',
        in: 'query',
        schema: { type: 'integer', minimum: 0, maximum: 60 },
      }),
    )
    expect(status?.responses['200']?.content).toEqual({
      'application/json': { schema: { $ref: '#/components/schemas/RootStatus' } },
    })
    const events = paths[`${root}/events`]?.['get']
    expect(Object.keys(events?.responses['200']?.content ?? {})).toEqual(['text/event-stream'])
    expect(Object.keys(events?.responses ?? {})).toEqual(expect.arrayContaining(['204', '401', '404', '429']))
    expect(events?.parameters.map(({ name }) => name)).toContain('last-event-id')
  })

  test('shows in /docs the three operations, their bodies, and every field', async () => {
    const service = await startAccepting()
    const html = await (await service.get('/docs')).text()
    for (const text of [
      '<b>POST</b><code>/api/projects/{projectId}</code>',
      `<b>GET</b><code>${root}/status</code>`,
      `<b>GET</b><code>${root}/events</code>`,
      'idempotency-key',
      'screenshotParameter.fullPage',
      'urls[].loadingTime',
      'urls[].reason',
      'failOn',
      'failedResources',
      'counts.total',
      'scheduleDescription',
    ]) {
      expect(html).toContain(text)
    }
    const operation = html
      .split('<section>')
      .find((part) => part.includes('<b>POST</b><code>/api/projects/{projectId}</code>'))
    expect(operation).toContain('<a href="#ScreenshotRequest">ScreenshotRequest</a>')
  })
})
