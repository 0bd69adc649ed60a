import { expect, test } from 'vitest'
import { newPage, startAccepting } from '../support/http/requests.ts'

const SECRET = 'hunter2'
const login = (password: unknown) => ({
  username: { elementId: '#user', username: SECRET },
  password: { elementId: '#password', password },
  loginButton: { elementId: '#login' },
})

test('a refused request leaves no secret in the answer or in the log', async () => {
  const service = await startAccepting()
  const refused = async (raw: string) => {
    const response = await service.post(undefined, { raw })
    const text = await response.text()
    expect([response.status, text]).toEqual([400, expect.stringContaining('bad_request')])
    expect(text).not.toContain(SECRET)
  }
  for (const broken of [`{"password":${SECRET}}`, SECRET, `{"password":"${SECRET}",}`, `["${SECRET}`])
    await refused(broken)
  const given = [
    ...[123, null, [SECRET], SECRET.repeat(1_000)].map((password) => ({ loginParameter: login(password) })),
    { loginParameter: { ...login(SECRET), passwort: SECRET } },
    { headers: { authorization: `${SECRET}\n` } },
    { headers: { host: SECRET } },
    { cookies: [{ name: 'session', value: `${SECRET};` }] },
    { cookies: [{ name: 'session', value: SECRET, path: SECRET }] },
  ]
  for (const options of given) {
    const urls = [{ ...newPage(), ...options }]
    await refused(JSON.stringify({ screenshotParameter: { width: 1, height: 1, ...options }, urls }))
  }
  expect(service.logLines.join()).toContain(service.projectId)
  expect(service.logLines.join()).not.toContain(SECRET)
})
