// @module-tag browser

import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type Handler, HTML, openTestCamera, paint, readPixels, serveSite } from '../support/camera/camera.ts'
import { useServer } from '../support/servers/use-servers.ts'
import { FOREVER } from './use-site.ts'

const [RED, GREEN] = ['#ff0000', '#00ff00']
const TEXT = `<p>${'text '.repeat(3_000)}</p>`
const SCRIPT = '<script>document.title = "scripted"</script>'

/** Ends the connection when the head and this much of the body was sent. */
const cut =
  (body: string, head: object = {}): Handler =>
  (answer) => {
    answer.writeHead(200, { ...HTML, ...head })
    answer.write(body, () => setTimeout(() => answer.destroy(), 100))
  }
const compressed =
  (body: Buffer | string): Handler =>
  (answer) =>
    void answer.writeHead(200, { ...HTML, 'content-encoding': 'gzip' }).end(body)
const refresh = (content: string) => paint(RED, `<meta http-equiv=refresh content="${content}">`)

const site = useServer(() =>
  serveSite({
    '/green': paint(GREEN),
    '/refresh': refresh('1;url=/green'),
    '/header': (answer) => void answer.writeHead(200, { ...HTML, refresh: '1;url=/green' }).end(paint(RED)),
    '/twice': refresh('1;url=/refresh'),
    '/news': refresh('300;url=/green'),
    '/cut': cut(paint(GREEN, TEXT), { 'content-length': '99999' }),
    '/cut-chunk': cut(paint(GREEN, TEXT + SCRIPT)),
    '/cut-at-once': cut('<!doctype html>'),
    '/not-gzip': compressed(paint(GREEN, TEXT)),
    '/bad-gzip': compressed(gzipSync(paint(GREEN, TEXT)).fill(7, 30)),
  }),
)
const camera = useServer(async () => openTestCamera({ allow: `site.test:${site.port}` }))
const at = (path: string) => `http://site.test:${site.port}${path}`
const take = (path: string) => camera.take(at(path), { loadingTime: FOREVER })

describe('a page that refreshes itself', () => {
  test.each(['/refresh', '/header', '/twice'])('is taken where it goes: %s', async (path) => {
    const { bytes, seen } = await take(path)
    expect((await readPixels(bytes)).at(10, 10)).toBe(GREEN)
    expect(seen).toMatchObject({ url: at('/green'), marks: [] })
  })

  test('is taken as it is if that is much later', async () => {
    const { bytes, seen } = await take('/news')
    expect((await readPixels(bytes)).at(10, 10)).toBe(RED)
    expect(seen).toMatchObject({ url: at('/news'), marks: [] })
  })
})

describe('a page of which only a part comes', () => {
  test.each(['/cut', '/cut-chunk'])('is incomplete: %s', async (path) => {
    const { bytes, seen } = await take(path)
    expect((await readPixels(bytes)).at(1_100, 700)).toBe(GREEN)
    expect(seen).toMatchObject({ failedResources: 1, marks: ['incomplete'] })
  })

  test.each([
    ['/cut-at-once', 'its server ended the connection before anything of the page came'],
    ['/not-gzip', 'its server sent a page that cannot be decoded'],
    ['/bad-gzip', 'its server sent a page that cannot be decoded'],
  ])('fails at once if nothing of it can be shown: %s', async (path, why) => {
    await expect(take(path)).rejects.toMatchObject({
      reason: 'unreachable',
      message: expect.stringContaining(why),
    })
  })
})
