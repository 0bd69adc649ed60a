// @module-tag browser

import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createClient, isFinal, type RootStatus } from '../../src/client/client.ts'
import type { Template } from '../../src/contract/templates.ts'
import { BROWSER_ENV } from '../support/browser/test-browser.ts'
import { loginWith, serveAttacks } from '../support/camera/login-attacks.ts'
import { coloursAt } from '../support/camera/pages.ts'
import { runProofsheet, serveProcess } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'

// An attacker with a write key, who does not know the password kept by a template, tries to get it.

/** The time for which a page without a form waits for it. */
const TIME = 60_000

async function startService(allow: string) {
  const env = {
    ...BROWSER_ENV,
    ...{ DATA_DIR: join(await makeFolder(), 'data'), CAPTURE_ALLOW: allow, CAPTURE_CONCURRENCY: '4' },
  }
  const projectId = randomUUID()
  await runProofsheet(['project', 'create', '--id', projectId], env)
  const made = await runProofsheet(['key', 'create', '--project', projectId, '--scope', 'write'], env)
  const key = made.stdout.trim()
  const { url } = await serveProcess({ ...env, AUTH: 'keys' })
  const client = createClient({ server: url, key })
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}/api/projects/${projectId}/${path}`, {
      method,
      headers: { authorization: key, 'content-type': 'application/json' },
      body: JSON.stringify(body ?? {}),
    })
    return { status: response.status, body: await response.json() }
  }
  const finished = async (rootId: string): Promise<RootStatus> => {
    for (;;) {
      const status = await client.getStatus(projectId, rootId, { wait: 30 })
      if (isFinal(status.state)) return status
    }
  }
  return { ask, finished, client, projectId }
}

test('a kept login is sent to no other origin, whatever page of its origin a run names', async () => {
  const site = await serveAttacks()
  const service = await startService(site.allow)
  const [user, password] = [randomBytes(9).toString('hex'), randomBytes(9).toString('hex')]
  const make = async (origins?: string[]) => {
    const made = await service.ask('POST', 'templates', {
      name: 'Kept',
      screenshotParameter: {
        width: 300,
        height: 200,
        loginParameter: loginWith(user, password, origins && { origins }),
      },
      urls: [{ url: `${site.url}/good`, name: 'good', loadingTime: TIME }],
      otherPages: true,
    })
    expect(made.status).toBe(201)
    return (made.body as Template).templateId
  }
  const run = async (templateId: string, paths: readonly string[]) => {
    const urls = paths.map((path) => ({ url: site.url + path, name: path, loadingTime: TIME }))
    const { status, body } = await service.ask('POST', `templates/${templateId}`, { urls })
    expect(status).toBe(201)
    return (await service.finished((body as { jobId: string }).jobId)).urls
  }

  const templateId = await make()
  const pages = await run(templateId, [...site.paths, '/good'])
  const got = site.received.filter((each) =>
    [user, password].some((secret) =>
      [secret, ...['base64', 'base64url', 'hex'].map((as) => Buffer.from(secret).toString(as as 'hex'))].some(
        (form) => each.includes(form),
      ),
    ),
  )
  expect(got).toEqual([])
  expect(site.received.length).toBeGreaterThan(5)
  // On a busy machine, a page that leads around may use up its time first, and a form may be sent before its page moves.
  const ends = pages
    .filter(({ name }) => name !== '/script-later')
    .map(({ name, state, reason }) => [name, state, reason === 'timeout' ? 'login' : reason])
  const paths = site.paths.filter((path) => path !== '/script-later')
  expect(ends).toEqual([...paths.map((path) => [path, 'failed', 'login']), ['/good', 'done', undefined]])
  const details = Object.fromEntries(pages.map(({ name, detail }) => [name, detail]))
  expect(details['/redirect']).toBe(
    `The login did not work. The form of the login is at ${site.away}. The login was given for ${site.url}. ` +
      `If it belongs there, name ${site.away} in loginParameter.origins.`,
  )
  expect(details['/formaction']).toContain(`leads to ${site.away}. The login was given for ${site.url}.`)
  expect(details['/posted-again']).toContain(
    `would have been sent on to ${site.away}. The login was given for ${site.url}.`,
  )

  // A client that gives the login may name the other origin.
  const named = await make([site.away])
  const [allowed] = await run(named, ['/redirect'])
  expect(allowed?.state).toBe('done')
  expect(site.received.filter((each) => each.includes(password))).toHaveLength(1)
}, 600_000)

test('no option can be added that could show a kept password, and the picture does not show it', async () => {
  const site = await serveAttacks()
  const service = await startService(site.allow)
  const page = { url: `${site.url}/hides`, name: 'hides', loadingTime: TIME }
  const request = {
    screenshotParameter: { width: 300, height: 200, loginParameter: loginWith('ada-9f31', 'secret-9f31') },
    urls: [page],
  }
  const { body: template } = await service.ask('POST', 'templates', { name: 'Kept', ...request })
  const { templateId } = template as Template
  const empty = {
    ...request,
    screenshotParameter: { ...request.screenshotParameter, loginParameter: loginWith('', '') },
  }
  const times = { name: 'Hourly', every: '1h', paused: true }
  const made = await service.ask('POST', 'schedules', { ...times, request })
  const { scheduleId } = made.body as { scheduleId: string }
  const pointersOf = ({ status, body }: { status: number; body: unknown }) => [
    status,
    ...((body as { errors?: { pointer: string }[] }).errors ?? []).map(({ pointer }) => pointer),
  ]
  const steps = {
    clicks: [{ elementId: '#show' }],
    css: '.gone { display: block !important }',
    waitFor: '#password',
  }
  const names = ['clicks', 'css', 'waitFor']
  const inPage = names.map((name) => `#/urls/0/${name}`)
  const urls = [{ ...page, ...steps }]
  expect(pointersOf(await service.ask('POST', `templates/${templateId}`, { urls }))).toEqual([400, ...inPage])
  const elsewhere = [{ ...page, url: `${page.url}?other`, ...steps }]
  expect(pointersOf(await service.ask('POST', `templates/${templateId}`, { urls: elsewhere }))).toEqual([
    ...[400, '#/urls/0/url'],
  ])
  const allowing = await service.ask('PUT', `templates/${templateId}`, {
    ...{ name: 'Kept', otherPages: true },
    ...empty,
  })
  expect(pointersOf(allowing)).toEqual([400, '#/otherPages'])
  const forAll = { ...empty, screenshotParameter: { ...empty.screenshotParameter, ...steps } }
  const inAll = names.map((name) => `#/screenshotParameter/${name}`)
  const change = await service.ask('PUT', `templates/${templateId}`, { name: 'Kept', ...forAll })
  expect(pointersOf(change)).toEqual([400, ...inAll])
  const scheduled = await service.ask('PUT', `schedules/${scheduleId}`, { ...times, request: forAll })
  expect(pointersOf(scheduled)).toEqual([400, ...inAll.map((pointer) => pointer.replace('#', '#/request'))])

  // It is captured as it was given, and may have another name.
  expect((await service.ask('PUT', `templates/${templateId}`, { name: 'New', ...empty })).status).toBe(200)
  expect(
    (await service.ask('PUT', `schedules/${scheduleId}`, { ...times, name: 'New', request: empty })).status,
  ).toBe(200)
  const run = await service.ask('POST', `templates/${templateId}`, { urls: [{ ...page, name: 'other' }] })
  const status = await service.finished((run.body as { jobId: string }).jobId)
  expect(status.urls).toMatchObject([{ name: 'other', state: 'done' }])

  // A client that knows the password may request the same steps. Even then the fields do not show it.
  const { jobId } = await service.client.requestScreenshots(service.projectId, { ...request, urls })
  expect((await service.finished(jobId)).urls).toMatchObject([{ state: 'done' }])
  const root = await service.client.getRoot(service.projectId, jobId)
  const picture = await fetch(root.jobs[0]?.data ?? '')
  expect(await coloursAt(new Uint8Array(await picture.arrayBuffer()), [290, 190])).toEqual(['#00ff00'])
}, 600_000)
