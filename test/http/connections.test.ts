import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { platform } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startService, type TestService } from '../support/http/service.ts'
import { addRows, makeProject, newJob, rootsUrl } from '../support/store/results.ts'

async function serviceWithLargeRoot(env: Record<string, string> = {}) {
  const service = await startService(env)
  const projectId = await makeProject(service.store)
  const jobs = Array.from({ length: 10_000 }, () => newJob())
  await service.store.addRoot({ projectId, rootId: projectId, created: 1, digest: 'd', jobs }, async () => {})
  return { service, large: `${rootsUrl(projectId)}/${projectId}` }
}

async function open(service: TestService, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1', localAddress })
  await once(socket, 'connect')
  return socket
}

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  await once(socket, 'close').catch(() => {})
  return text
}

describe('pipelined requests', () => {
  test('are answered in order', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    await addRows(service.store, projectId)
    const socket = await open(service)
    const paths = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? rootsUrl(projectId) : '/healthz',
    )
    socket.write(
      paths
        .map(request)
        .join('')
        .replace(/\r\n\r\n$/, '\r\nConnection: close\r\n\r\n'),
    )
    const answer = await readAll(socket)
    const bodies = [...answer.matchAll(/\r\n\r\n(\{"status"|\[\{"rootId")/g)].map((match) => match[1])
    expect(bodies).toEqual(paths.map((path) => (path === '/healthz' ? '{"status"' : '[{"rootId"')))
  })

  test('are begun one by one: for a client that does not read, only one answer is prepared', async () => {
    const { service, large } = await serviceWithLargeRoot()
    let reads = 0
    const pageTexts = service.store.pageTexts.bind(service.store)
    service.store.pageTexts = async (projectId, rootId, page) => {
      if (page.from === 0) reads++
      return await pageTexts(projectId, rootId, page)
    }
    const socket = await open(service)
    socket.pause()
    socket.write(request(large).repeat(30))
    while (reads === 0) await sleep(10)
    await sleep(500)
    expect(reads).toBe(1)
    expect((await service.get('/healthz')).status).toBe(200)
    socket.destroy()
  })

  test('end the connection when there are too many', async () => {
    const { service, large } = await serviceWithLargeRoot()
    const socket = await open(service)
    socket.write(request(large).repeat(200))
    expect((await readAll(socket)).match(/HTTP\/1.1 200/g)?.length ?? 0).toBeLessThan(33)
    expect((await service.get('/healthz')).status).toBe(200)
  })
})

describe('HTTP/1.0, which cannot recognise a cut-off answer,', () => {
  const ask = async (service: TestService, path: string) => {
    const socket = await open(service)
    socket.write(`GET ${path} HTTP/1.0\r\nHost: localhost\r\n\r\n`)
    return await readAll(socket)
  }

  test('gets an answer of known length, however long', async () => {
    const { service, large } = await serviceWithLargeRoot()
    const projectId = await makeProject(service.store)
    await addRows(service.store, projectId)
    for (const path of [rootsUrl(projectId), large]) {
      const [head = '', body = ''] = (await ask(service, path)).split('\r\n\r\n')
      expect(head).toMatch(new RegExp(`^HTTP/1.1 200 .*\r\ncontent-length: ${body.length}(\r\n|$)`, 's'))
      expect(() => JSON.parse(body)).not.toThrow()
    }
  })

  test('gets fewer bytes than announced if the answer has changed meanwhile', async () => {
    const service = await startService({ CACHE_BYTES: '0' })
    const projectId = await makeProject(service.store)
    for (const created of [1, 2]) await addRows(service.store, projectId, { created, jobs: 300 })
    const findPositions = service.store.findPositions.bind(service.store)
    let reads = 0
    // The root is gone at the third look-up of its positions.
    service.store.findPositions = async (...args) => (++reads > 2 ? undefined : await findPositions(...args))
    const [head = '', body = ''] = (await ask(service, rootsUrl(projectId))).split('\r\n\r\n')
    expect(body.length).toBeLessThan(Number(/content-length: (\d+)/.exec(head)?.[1]))
  })
})

describe('during an answer', () => {
  test('invalid HTTP breaks the connection and adds nothing to the body', async () => {
    const { service, large } = await serviceWithLargeRoot()
    const socket = await open(service)
    socket.write(request(large))
    await once(socket, 'readable')
    socket.write('GARBAGE\r\n\r\n')
    const text = await readAll(socket)
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(text.endsWith('0\r\n\r\n')).toBe(false)
  })

  test('a client that goes away leaves a line in the log', async () => {
    const { service, large } = await serviceWithLargeRoot()
    const socket = await open(service)
    socket.write(request(large))
    await once(socket, 'readable')
    socket.destroy()
    while (!service.logLines.some((line) => line.includes('"aborted":true'))) await sleep(10)
    expect(await (await service.get('/metrics')).text()).toContain('status="aborted"')
  })

  test('a store that fails is logged with the id of the request', async () => {
    const { service, large } = await serviceWithLargeRoot()
    const pageTexts = service.store.pageTexts.bind(service.store)
    service.store.pageTexts = async (projectId, rootId, page) => {
      if (page.from > 1_000) throw new Error('the table is gone')
      return await pageTexts(projectId, rootId, page)
    }
    const response = await service.get(large)
    await expect(response.text()).rejects.toThrow()
    const line = service.logLines.find((each) => each.includes('the answer broke off')) ?? ''
    expect(JSON.parse(line)).toMatchObject({ level: 50, reqId: response.headers.get('x-request-id') })
  })
})

describe('MAX_CONNECTIONS', () => {
  const answers = async (socket: Socket) => {
    socket.write(request('/healthz'))
    return String((await once(socket, 'data'))[0]).slice(0, 12)
  }
  const closed = (socket: Socket) => once(socket.resume(), 'close')

  test('is filled by idle connections, which are closed when needed, the longest idle first', async () => {
    const service = await startService({ MAX_CONNECTIONS: '3' })
    const [first, second, third] = [await open(service), await open(service), await open(service)]
    expect(await answers(first)).toBe('HTTP/1.1 200')
    const fourth = await open(service)
    await closed(second)
    const fifth = await open(service)
    await closed(third)
    for (const socket of [first, fourth, fifth]) expect(await answers(socket)).toBe('HTTP/1.1 200')
    for (const socket of [first, fourth, fifth]) socket.destroy()
  })

  test('refuses further connections if all wait for an answer', async () => {
    const { service, large } = await serviceWithLargeRoot({ MAX_CONNECTIONS: '2' })
    const busy = [await open(service), await open(service)]
    for (const socket of busy) {
      socket.write(request(large))
      await once(socket, 'readable')
    }
    await closed(await open(service))
    for (const socket of busy) expect(socket.destroyed).toBe(false)
    busy[0]?.destroy()
    await expect.poll(async () => (await service.get('/healthz').catch(() => undefined))?.status).toBe(200)
    busy[1]?.destroy()
  })

  test.skipIf(platform() !== 'linux')(
    'is not used up by one address: other addresses get in (on Linux, which has more loopback addresses)',
    async () => {
      const service = await startService({ MAX_CONNECTIONS: '20' })
      const neighbour = await open(service, '127.0.0.3')
      const silent: Socket[] = []
      for (let index = 0; index < 50; index++) silent.push(await open(service))
      for (const localAddress of ['127.0.0.2', '127.0.0.1']) {
        const socket = await open(service, localAddress)
        expect(await answers(socket)).toBe('HTTP/1.1 200')
        socket.destroy()
      }
      // It was idle for longer than any of them, and is the only one of its address.
      expect(await answers(neighbour)).toBe('HTTP/1.1 200')
      for (const socket of [neighbour, ...silent]) socket.destroy()
    },
  )
})

describe('a refused connection', () => {
  test('is closed, even if its client sends nothing and does not close it', async () => {
    const service = await startService()
    const accepted: Socket[] = []
    const listen = (message: unknown) => void accepted.push((message as { socket: Socket }).socket)
    subscribe('net.server.socket', listen)
    onTestFinished(() => void unsubscribe('net.server.socket', listen))
    const { port } = new URL(service.url)
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
    socket.write('NOT HTTP\r\n\r\n')
    await once(socket.resume(), 'end')
    const ours = accepted.find(({ remotePort }) => remotePort === socket.localPort)
    if (ours && !ours.destroyed) await once(ours, 'close')
    expect(ours?.destroyed).toBe(true)
    socket.destroy()
  })
})

describe('a reader that stops reading', () => {
  test('is disconnected IDLE_TIMEOUT after the last byte that it took, not at the next timer of Node', async () => {
    const { service, large } = await serviceWithLargeRoot({ IDLE_TIMEOUT: '3s' })
    const socket = await open(service)
    socket.pause()
    socket.write(request(large).repeat(3))
    await sleep(1_500)
    let read = 0
    socket.on('data', (chunk) => {
      read += chunk.length
      if (read > 1_000_000) socket.pause()
    })
    socket.resume()
    await expect
      .poll(() => service.logLines.some((line) => line.includes('nothing of the answer was read')), {
        timeout: 30_000,
      })
      .toBe(true)
    socket.destroy()
  })
})

describe('stopping the service', () => {
  test('does not wait longer than SHUTDOWN_TIMEOUT for a client that does not read', async () => {
    const { service, large } = await serviceWithLargeRoot({ SHUTDOWN_TIMEOUT: '100ms' })
    const socket = await open(service)
    socket.pause()
    socket.write(request(large))
    // By the time a later request is answered, the one before it is under way.
    expect((await service.get('/healthz')).status).toBe(200)
    await service.stop()
    expect(service.logLines.join('')).toContain('did not finish within the time for stopping')
    socket.destroy()
  })

  test('does not wait for connections without a request', async () => {
    const service = await startService({ SHUTDOWN_TIMEOUT: '10m' })
    const silent = await open(service)
    const half = await open(service)
    half.write('GET /hea')
    const idle = await open(service)
    idle.write(request('/healthz'))
    await once(idle, 'data')
    const closed = Promise.all([silent, half, idle].map((socket) => once(socket.resume(), 'close')))
    await service.stop()
    await closed
  })

  test('lets an answer under way and pipelined ones finish, and then closes', async () => {
    const { service, large } = await serviceWithLargeRoot({ SHUTDOWN_TIMEOUT: '10m' })
    const socket = await open(service)
    socket.write(request(large) + request('/healthz'))
    await once(socket, 'readable')
    const stopped = service.stop()
    const text = await readAll(socket)
    await stopped
    expect(text).toContain(']}\r\n0\r\n\r\nHTTP/1.1 200 OK')
    expect(text).toMatch(/\{"status":"ok"\}$/)
  })
})
