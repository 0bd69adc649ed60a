import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { sendRaw as open, postHead, readAll } from '../support/http/raw-request.ts'
import { listRoots as list, refusal } from '../support/http/request-answers.ts'
import { newPage, newRequest, readStatus, startAccepting } from '../support/http/requests.ts'

describe('a body', () => {
  test.each([
    ['nothing', ''],
    ['half of it', '{"urls":['],
    ['a word', 'undefined'],
    ['two values', '{}{}'],
    ['a comment', '{} // x'],
    ['single quotes', "{'urls':[]}"],
  ])('that is not JSON is 400: %s', async (_, raw) => {
    const service = await startAccepting()
    const response = await service.post(undefined, { raw })
    expect(await refusal(response)).toEqual([400, 'bad_request', '#'])
  })

  test('that is missing is 400 or 415', async () => {
    const service = await startAccepting()
    const address = `${service.url}/api/projects/${service.projectId}`
    expect(await refusal(await fetch(address, { method: 'POST' }))).toEqual([400, 'bad_request', '#'])
    const typed = await fetch(address, { method: 'POST', headers: { 'content-type': 'text/plain' } })
    expect(typed.status).toBe(415)
  })

  test.each([true, false])('that is not UTF-8 is 400, and is not misread (chunked: %s)', async (chunked) => {
    const service = await startAccepting()
    const body = Buffer.from(JSON.stringify({ ...newRequest(), urls: [{ ...newPage(), name: '?' }] }))
    body[body.indexOf('"?"') + 1] = 0xff
    const length = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`
    const socket = await open(service, postHead(service, `${length}\nConnection: close`))
    if (chunked) socket.write(`${body.length.toString(16)}\r\n`)
    socket.write(body)
    if (chunked) socket.write('\r\n0\r\n\r\n')
    expect(await readAll(socket)).toMatch(/^HTTP\/1.1 400 [\s\S]*"pointer":"#"/)
    expect(await list(service)).toEqual([])
  })

  test.each([
    'text/plain',
    'text/plain; charset=utf-8',
    'text/plain;application/json',
    'text/plain, application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/json-patch+json',
    'application/xml',
    'json',
    '*/*',
    '',
  ])('of the type %j is 415: a web page could send it without a preflight', async (type) => {
    const service = await startAccepting()
    const response = await service.post(newRequest(), { headers: { 'content-type': type } })
    expect(await refusal(response)).toEqual([415, 'unsupported_media_type'])
    expect(await list(service)).toEqual([])
  })

  test('without a type is 415', async () => {
    const service = await startAccepting()
    const body = JSON.stringify(newRequest())
    const head = `POST /api/projects/${service.projectId} HTTP/1.1\nHost: localhost\nConnection: close\n`
    const socket = await open(service, `${head}Content-Length: ${body.length}\n\n${body}`)
    expect(await readAll(socket)).toMatch(/^HTTP\/1.1 415 /)
    expect(await list(service)).toEqual([])
  })

  test.each(['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON'])(
    'of the type %j is JSON',
    async (type) => {
      const service = await startAccepting()
      expect((await service.post(newRequest(), { headers: { 'content-type': type } })).status).toBe(201)
    },
  )

  test('may have at most MAX_BODY_BYTES, counted in bytes, chunked or not', async () => {
    const service = await startAccepting({ MAX_BODY_BYTES: '2000' })
    const sized = (bytes: number) => {
      const text = JSON.stringify({ ...newRequest(), urls: [{ ...newPage(), name: 'ü'.repeat(400) }] })
      return text + ' '.repeat(bytes - Buffer.byteLength(text))
    }
    const chunked = async (raw: string) =>
      (
        await fetch(`${service.url}/api/projects/${service.projectId}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: new Blob([raw]).stream(),
          duplex: 'half',
        } as RequestInit)
      ).status
    expect((await service.post(undefined, { raw: sized(2_000) })).status).toBe(201)
    expect(await chunked(sized(2_000))).toBe(201)
    expect(await refusal(await service.post(undefined, { raw: sized(2_001) }))).toEqual([413, 'too_large'])
    expect(await chunked(sized(2_001))).toBe(413)
    expect(await list(service)).toHaveLength(2)
  })

  test('may be larger than a MiB if the operator allows it', async () => {
    const service = await startAccepting({ MAX_BODY_BYTES: '3000000' })
    const raw = JSON.stringify(newRequest()) + ' '.repeat(2_500_000)
    expect((await service.post(undefined, { raw })).status).toBe(201)
    const preset = await startAccepting()
    expect((await preset.post(undefined, { raw })).status).toBe(413)
  })

  test('may arrive byte by byte, even within a character', async () => {
    const service = await startAccepting()
    const body = Buffer.from(JSON.stringify({ ...newRequest(), urls: [{ ...newPage(), name: '👩‍🚀ü' }] }))
    const socket = await open(service, postHead(service, `Content-Length: ${body.length}\nConnection: close`))
    socket.setNoDelay(true)
    for (const byte of body) {
      socket.write(Buffer.of(byte))
      await sleep(1)
    }
    const { jobId } = JSON.parse(/\{"jobId".*\}/.exec(await readAll(socket))?.[0] ?? '')
    expect((await readStatus(service, jobId)).urls[0]?.name).toBe('👩‍🚀ü')
  })

  test('that does not arrive within REQUEST_TIMEOUT ends the connection, and is not a request', async () => {
    const service = await startAccepting({ REQUEST_TIMEOUT: '1s' })
    const socket = await open(service, postHead(service, 'Content-Length: 1000'))
    const dripping = setInterval(() => socket.write(' '), 50)
    // Bytes written after the end reset the connection.
    await readAll(socket).catch(() => {})
    clearInterval(dripping)
    expect(await list(service)).toEqual([])
    expect(service.logLines.join('')).not.toMatch(/"level":(50|60)/)
  })

  test('that is cut off is not a request, even if its JSON was complete', async () => {
    const service = await startAccepting()
    const body = JSON.stringify(newRequest())
    const socket = await open(service, postHead(service, `Content-Length: ${body.length + 1}`))
    socket.write(body)
    // By the time a later request is answered, the one before it is under way.
    expect((await service.get('/healthz')).status).toBe(200)
    socket.destroy()
    while (!service.logLines.some((line) => line.includes('"method":"POST"'))) await sleep(10)
    expect(await list(service)).toEqual([])
    expect(service.logLines.join('')).not.toMatch(/"level":(50|60)/)
  })
})
