// @module-tag browser

import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import * as paths from '../../src/contract/paths.ts'
import type { ScreenshotRequest } from '../../src/contract/screenshot-request.ts'
import { openStorage } from '../../src/service/storage.ts'
import { BROWSER_ENV } from '../support/browser/test-browser.ts'
import { COLOURED, servePages } from '../support/camera/pages.ts'
import { askFor } from '../support/http/ask-for.ts'
import { serveProcess } from '../support/processes/process.ts'
import { commandLines, filesWith } from '../support/processes/search.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { until } from '../support/runner/until.ts'
import { bothDatabases } from '../support/servers/databases.ts'
import { asAdmin } from '../support/servers/postgres.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { makeProject } from '../support/store/results.ts'

const newSecrets = () => {
  const make = (name: string) => `${name}-${randomBytes(8).toString('hex')}`
  return { user: make('user'), password: make('password'), header: make('header'), cookie: make('cookie') }
}
type Secrets = ReturnType<typeof newSecrets>

const optionsWith = ({
  user,
  password,
  header,
  cookie,
}: Secrets): ScreenshotRequest['screenshotParameter'] => ({
  ...{ width: 400, height: 300 },
  loginParameter: {
    username: { elementId: '#user', username: user },
    password: { elementId: '#password', password },
    loginButton: { elementId: '#login' },
  },
  headers: { authorization: `Bearer ${header}` },
  cookies: [{ name: 'first', value: cookie }],
})

/**
 * Visitors without a session are led to the form: session cookie, CSRF field, redirects. The pages behind it do everything that
 * could make a browser keep secrets.
 */
const answerWith = ({ user, password, header, cookie }: Secrets) => {
  const tokens = new Set<string>()
  const sessions = new Set<string>()
  const behind = `${COLOURED}<script>
    const secrets = ${JSON.stringify([user, password, header, cookie])}
    document.title = 'Hello ' + secrets[0]
    document.cookie = 'second=' + secrets[3] + '; max-age=9999'
    for (const secret of secrets) localStorage.setItem(secret, secret)
    fetch('/kept', { headers: { authorization: 'Bearer ' + secrets[2] } }).catch(() => {})
    history.replaceState(null, '', '?password=' + secrets[1])
  </script>`
  const form = () => {
    const token = randomBytes(8).toString('hex')
    tokens.add(token)
    return `<form method="post"><input type="hidden" name="csrf" value="${token}"><input id="user" name="user">
      <input id="password" name="password" type="password"><button id="login">Log in</button></form>`
  }
  const logIn = async (request: IncomingMessage, response: ServerResponse) => {
    const given = new URLSearchParams(await text(request))
    const isRight = given.get('user') === user && given.get('password') === password
    if (!isRight || !tokens.delete(given.get('csrf') ?? '')) return void response.writeHead(401).end(form())
    const session = randomBytes(8).toString('hex')
    sessions.add(session)
    response.writeHead(303, { location: '/', 'set-cookie': `session=${session}; HttpOnly` }).end()
  }
  return (path: string, response: ServerResponse, request: IncomingMessage) => {
    response.setHeader('content-type', 'text/html')
    const { cookie: sent = '', authorization } = request.headers
    const hasAll = sent.includes(`first=${cookie}`) && authorization === `Bearer ${header}`
    if (path === '/login' && request.method === 'POST') void logIn(request, response)
    else if (path === '/login') response.end(form())
    else if (!hasAll || !sessions.has(/session=(\w+)/.exec(sent)?.[1] ?? ''))
      response.writeHead(302, { location: '/login' }).end()
    else response.end(behind)
  }
}

describe.each(bothDatabases(usePostgres()))('%s: the secrets of a request', (_, newDatabase) => {
  test('are found nowhere: not during a capture, not after SIGKILL, not after the last capture', async () => {
    const folder = await makeFolder()
    const env: Record<'DATA_DIR' | 'TMPDIR', string> & { DATABASE_URL?: string } = {
      ...BROWSER_ENV,
      ...(await newDatabase()),
      ...{ DATA_DIR: join(folder, 'data'), TMPDIR: join(folder, 'tmp'), LOG_LEVEL: 'debug' },
    }
    await mkdir(env.TMPDIR)
    const secrets = newSecrets()
    // PostgreSQL keeps a gigabyte written by other tests. The clock of files may be a little behind.
    const began = Date.now() - 5_000
    let held: ServerResponse | undefined
    const answer = answerWith(secrets)
    const site = await servePages((path, response, request) => {
      if (path === '/held' && !held) held = response
      else answer(path, response, request)
    })
    const settings = { ...env, CAPTURE_ALLOW: `127.0.0.1:${site.port}`, CAPTURE_CONCURRENCY: '1' }
    const storage = await openStorage(readConfig(settings))
    onTestFinished(() => storage.close())
    const projectId = await makeProject(storage.store)
    const url = env.DATABASE_URL

    /** The places that contain one of these texts: files, logs, command lines, answers. */
    const look = async (service: Awaited<ReturnType<typeof serveProcess>>, texts: string[]) => {
      if (url !== undefined) await asAdmin(url, 'checkpoint')
      const folders = [folder, ...(url === undefined ? [] : await postgresFolders(url))]
      const files = (await Promise.all(folders.map((each) => filesWith(each, texts, began)))).flat()
      const said = {
        log: [service.stdout(), service.stderr()],
        ps: commandLines(service.pid),
        answers: await Promise.all(answersOf(projectId, rootId).map((path) => read(service, path))),
        rows: [JSON.stringify(await storage.store.events.read(projectId, { after: 0, limit: 99 }))],
      }
      const places = Object.entries(said).filter(([, all]) => texts.some((text) => all.join().includes(text)))
      return [...files, ...places.map(([place]) => place)]
    }

    const first = await serveProcess(settings)
    const name = `control-${randomBytes(8).toString('hex')}`
    const request: ScreenshotRequest = {
      screenshotParameter: optionsWith(secrets),
      urls: ['/', '/prices', '/held'].map((path) => ({ url: site.url + path, name, loadingTime: 60_000 })),
    }
    const rootId = await ask(first, projectId, request)
    await until(() => held !== undefined)
    const all = Object.values(secrets)
    expect(await look(first, all)).toEqual([])
    expect(await countSealed(env)).toBeGreaterThan(0)
    expect(await look(first, ['--user-data-dir='])).toContain('ps')
    process.kill(first.pid, 'SIGKILL')
    await first.ended
    // The leases of the dead process end at once.
    const { captures } = storage.store
    for (const attempt of await captures.findUnderWay())
      await captures.putBack(attempt, { now: 1, due: 0, counts: false, died: true })
    const second = await serveProcess(settings)
    expect(await look(second, all)).toEqual([])
    const status = await askFor(second.url, projectId).finished(rootId)
    expect(status).toMatchObject({ state: 'done', options: { headers: { authorization: '' } } })
    // All three are behind the login. They put a secret into their title and their URL.
    expect(status.urls.map(({ seen }) => seen)).toMatchObject(
      request.urls.map(({ url: address }) => ({ title: 'Hello …', url: `${address}?password=…` })),
    )
    expect([await look(second, all), await countSealed(env)]).toEqual([[], 0])

    // A control: existing secrets are found.
    const found = await look(second, [name, rootId, projectId])
    expect(found).toEqual(expect.arrayContaining(['log', 'answers', 'rows']))
    expect(found.some((path) => path.includes(url === undefined ? 'proofsheet.db' : '/base/'))).toBe(true)
    const planted = [join(env.TMPDIR, 'planted'), join(env.DATA_DIR, 'planted')]
    for (const path of planted) await writeFile(path, `x${secrets.password}x`)
    expect((await look(second, all)).sort()).toEqual(planted.sort())
    // A repeated request is recognised, although the password is no longer stored.
    expect(await ask(second, projectId, request)).toBe(rootId)
  }, 300_000)
})

async function ask({ url }: { url: string }, projectId: string, request: ScreenshotRequest): Promise<string> {
  const response = await fetch(url + paths.projectPath(projectId), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'key' },
    body: JSON.stringify(request),
  })
  expect(response.status).toBe(201)
  return ((await response.json()) as { jobId: string }).jobId
}

function answersOf(projectId: string, rootId: string): string[] {
  const toRoot = (path: string) => paths.pathTo(path, projectId, rootId)
  return [
    ...[paths.projectsPath, paths.projectPath(projectId), paths.rootsPath(projectId)],
    ...[paths.rootPath(projectId, rootId), toRoot(paths.paths.getStatus)],
    ...[toRoot(paths.paths.getRootOverview), paths.overviewsPath(projectId), paths.pagesPath(projectId)],
    ...['/metrics', '/readyz'],
  ]
}

async function read({ url }: { url: string }, path: string): Promise<string> {
  const response = await fetch(url + path)
  return `${response.status} ${await response.text()}`
}

async function countSealed(env: { DATA_DIR: string; DATABASE_URL?: string }): Promise<number> {
  const query = 'select count(*) as rows from secrets'
  if (env.DATABASE_URL) return Number((await asAdmin<{ rows: string }[]>(env.DATABASE_URL, query))[0]?.rows)
  const database = new DatabaseSync(join(env.DATA_DIR, 'proofsheet.db'))
  const row = database.prepare(query).get()
  database.close()
  return Number(row?.['rows'])
}

/** The files of this database, and the write-ahead log of the server. */
async function postgresFolders(url: string): Promise<string[]> {
  const [row] = await asAdmin<{ folder: string; oid: number }[]>(
    url,
    `select current_setting('data_directory') as folder, oid from pg_database where datname = current_database()`,
  )
  return [join(row?.folder ?? '', 'base', String(row?.oid)), join(row?.folder ?? '', 'pg_wal')]
}
