// @module-tag browser

import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createClient, isFinal, type RootStatus } from '../../src/client/client.ts'
import type { Template } from '../../src/contract/templates.ts'
import { BROWSER_ENV } from '../support/browser/test-browser.ts'
import { loginWith, serveAttacks } from '../support/camera/login-attacks.ts'
import { runProofsheet, serveProcess } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'

// Someone with a write key, who does not know the password that a template keeps, tries to get it.

const TIME = 6_000

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

test('a kept login goes to no other origin, whatever page of its origin a run names', async () => {
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
  const ends = pages.map((page) => [page.name, page.state, page.reason])
  expect(ends).toEqual([...site.paths.map((path) => [path, 'failed', 'login']), ['/good', 'done', undefined]])
  const details = Object.fromEntries(pages.map(({ name, detail }) => [name, detail]))
  expect(details['/redirect']).toBe(
    `The login did not work. The form of the login is at ${site.away}. The login was given for ${site.url}. ` +
      `If it belongs there, name ${site.away} in loginParameter.origins.`,
  )
  expect(details['/formaction']).toContain(`leads to ${site.away}. The login was given for ${site.url}.`)
  expect(details['/posted-again']).toContain(
    `was sent on to ${site.away}. The login was given for ${site.url}.`,
  )

  // Whoever gives the login may name the other origin.
  const named = await make([site.away])
  const [allowed] = await run(named, ['/redirect'])
  expect(allowed?.state).toBe('done')
  expect(site.received.filter((each) => each.includes(password))).toHaveLength(1)
}, 300_000)
