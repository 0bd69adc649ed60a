// @module-tag browser

import { randomUUID } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import type { RootStatus } from '../../src/contract/status.ts'
import { openStorage } from '../../src/service/storage.ts'
import type { KeyScope, Store } from '../../src/store/store.ts'
import { BROWSER_ENV } from '../support/browser/test-browser.ts'
import { COLOURED, coloursAt, type Site, servePages } from '../support/camera/pages.ts'
import { serveBare } from '../support/http/bare-server.ts'
import { COMMAND, proofsheet, runProofsheet, serveProcess, start } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { makeKey, makeProject } from '../support/store/results.ts'

async function newProject(more: Record<string, string> = {}) {
  const folder = await makeFolder()
  const site = await servePages((path, response) => {
    if (path === '/gone') response.statusCode = 410
    if (path !== '/never') response.end(COLOURED)
  })
  const env = {
    ...BROWSER_ENV,
    DATA_DIR: join(folder, 'data'),
    CAPTURE_ALLOW: `127.0.0.1:${site.port}`,
    ...more,
  }
  const project = await inStore(env, makeProject)
  return { folder, site, env, project }
}

/** Runs the command in this process. */
async function inStore<T>(env: Record<string, string>, use: (store: Store) => Promise<T>): Promise<T> {
  const { store, close } = await openStorage(readConfig(env))
  return await use(store).finally(close)
}

async function makeSecret(env: Record<string, string>, project: string, scope: KeyScope): Promise<string> {
  return (await inStore(env, (store) => makeKey(store, project, scope))).secret
}

const SIZES = [
  { width: 300, height: 200 },
  { width: 400, height: 300 },
]

const pageOf = (site: Site, path: string) => `${site.url}${path}`

test('captures locally, prints a table, saves the pictures, and its exit code says whether all are there', async () => {
  const { folder, site, env, project } = await newProject()
  const out = join(folder, 'shots')
  const some = await runProofsheet(
    [
      ...['capture', '--project', project, '--out', out, '--width', '800', '--height', '600'],
      ...['--loading-time', '2s', pageOf(site, '/a'), pageOf(site, '/never'), 'http://10.0.0.1/'],
    ],
    env,
  )
  expect([some.code, some.stderr]).toEqual([1, expect.stringMatching(/Not all captured: 1 of 3 pages/)])
  const [header, ...rows] = some.stdout.trim().split('\n')
  expect(header).toMatch(/^STATE +TIME +PAGE +RESULT$/)
  expect(rows).toEqual([
    expect.stringMatching(
      /^done +\d+\.\d s +http:\S+\/a +\S+shots\/127\.0\.0\.1-\d+-a\.png \(the page is wider\)$/,
    ),
    expect.stringMatching(/^failed .*\/never +timeout: /),
    expect.stringMatching(/^failed .* +blocked: .*CAPTURE_ALLOW=10\.0\.0\.1:80 /),
  ])
  const [name = '', ...others] = await readdir(out)
  expect(others).toEqual([])
  const picture = await readFile(join(out, name))
  expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([800, 600])
  expect(await coloursAt(picture, [50, 50], [700, 500])).toEqual(['#00aa00', '#0000ff'])
})

test('a status of 400 or more gives a picture with a remark, or a failure with --fail-on-status, locally and on a server', async () => {
  const { site, env, project } = await newProject()
  const service = await serveProcess(env)
  const there = ['--server', service.url]
  const capture = (...args: string[]) => runProofsheet(['capture', '--project', project, ...args], env)
  const shown = await capture(...there, pageOf(site, '/gone'))
  expect([shown.code, shown.stdout]).toEqual([
    0,
    expect.stringMatching(/done .*\/gone +\S{36} \(status 410\)\n/),
  ])
  for (const where of [[], there]) {
    const failed = await capture(...where, '--fail-on-status', pageOf(site, '/gone'), pageOf(site, '/a'))
    expect([failed.code, failed.stdout]).toEqual([
      1,
      expect.stringMatching(/failed .*\/gone +status: .*410.*\ndone .*\/a +\S{36}\n/),
    ])
  }
})

test('reads URLs and names from standard input', async () => {
  const { site, env, project } = await newProject()
  const script = `printf '%s\\n' '# a list' '' '${site.url}/gone Our shop' '${site.url}/y' | "$0" "$1" capture --project ${project} -`
  const command = start('bash', ['-c', script, process.execPath, COMMAND], {
    env: { ...env, PATH: process.env['PATH'] ?? '' },
  })
  expect((await command.ended).code).toBe(0)
  const [, rootId = ''] =
    /^Captured: 2 of 2 pages, as root (\S{36})\.\n`npx proofsheet serve` shows it at http:\S+\/roots\/\1\n$/m.exec(
      command.stderr(),
    ) ?? []
  expect(command.stdout()).toMatch(/done .*\(status 410\)\n/)
  const jobs = await inStore(env, (store) => store.jobsOf(project, [rootId]))
  expect(jobs.map(({ name }) => name)).toEqual(['Our shop', `127.0.0.1:${site.port}/y`])
})

test('sends the request to a server, with a key', async () => {
  const { folder, site, env, project } = await newProject({ AUTH: 'keys' })
  const [write, read] = [await makeSecret(env, project, 'write'), await makeSecret(env, project, 'read')]
  const service = await serveProcess(env)
  const ask = (key: string, ...more: string[]) =>
    runProofsheet(
      ['capture', '--project', project, '--server', service.url, ...more, pageOf(site, '/a')],
      key === '' ? {} : { PROOFSHEET_KEY: key },
    )
  const done = await ask(write, '--out', join(folder, 'shots'), '--full-page')
  expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('Captured: 1 of 1 page')])
  expect(await readdir(join(folder, 'shots'))).toHaveLength(1)
  expect(await ask(read)).toMatchObject({ code: 2, stderr: expect.stringContaining('may only read') })
  expect(await ask('')).toMatchObject({ code: 2, stderr: expect.stringContaining('send an API key') })
  const noKey = await ask('schlüssel-für-alles')
  expect([noKey.code, noKey.stderr]).toEqual([
    2,
    expect.stringMatching(/^proofsheet: PROOFSHEET_KEY: .*ASCII/),
  ])
  expect(noKey.stderr).not.toContain('für-alles')
  const wide = await ask(write, '--width', '9000')
  expect([wide.code, wide.stderr]).toEqual([
    2,
    expect.stringContaining('\n  --width must be a whole number from 1 to 4096\n'),
  ])
  const out = join(folder, 'all')
  const requests = [
    { screenshotParameter: { sizes: SIZES, tags: ['x'] }, urls: [{ url: pageOf(site, '/a'), name: 'Home' }] },
    { screenshotParameter: SIZES[0], urls: [{ url: pageOf(site, '/gone'), name: 'Home' }], failOn: 'status' },
    { screenshotParameter: SIZES[0], urls: [{ url: pageOf(site, '/b'), name: 'home' }] },
  ]
  await writeFile(join(folder, 'requests.json'), JSON.stringify(requests))
  const many = await runProofsheet(
    ['capture', '--server', service.url, '--from', join(folder, 'requests.json'), '--json', '--out', out],
    { PROOFSHEET_KEY: write },
  )
  expect(many.code).toBe(1)
  const { roots } = JSON.parse(many.stdout) as { roots: (RootStatus & { gallery: string })[] }
  expect(roots.map(({ state, tags }) => [state, tags])).toEqual([
    ['done', ['x']],
    ['failed', []],
    ['done', []],
  ])
  const names = ['Home-300x200.png', 'Home-400x300.png', 'home-2.png']
  expect(roots.flatMap(({ urls }) => urls)).toEqual([
    expect.objectContaining({ state: 'done', options: SIZES[0], file: join(out, names[0] ?? '') }),
    expect.objectContaining({ state: 'done', options: SIZES[1], file: join(out, names[1] ?? '') }),
    expect.objectContaining({ state: 'failed', reason: 'status' }),
    expect.objectContaining({ state: 'done', file: join(out, names[2] ?? '') }),
  ])
  expect((await readdir(out)).sort()).toEqual(names)
  expect(roots.map(({ gallery }) => gallery)).toEqual(
    roots.map(({ rootId }) => `${service.url}/projects/${project}/roots/${rootId}`),
  )
  // An unreachable server behind a proxy is not a mistake in the command.
  const proxy = await serveBare((response) => response.writeHead(502).end('<html>Bad Gateway</html>'))
  const lost = await runProofsheet(['capture', '--project', project, '--server', proxy.url, 'http://x/'])
  expect([lost.code, lost.stderr]).toEqual([1, expect.stringContaining(`${proxy.url}: answered 502`)])
  const nobody = await runProofsheet([
    'capture',
    '--project',
    project,
    '--server',
    'http://127.0.0.1:9',
    'http://x/',
  ])
  expect([nobody.code, nobody.stderr]).toEqual([
    1,
    expect.stringMatching(/^proofsheet: http:\/\/127\.0\.0\.1:9 does not answer/),
  ])
})

test('a project is found by its name, or as the only one, locally and on a server', async () => {
  const { site, env } = await newProject()
  const service = await serveProcess(env)
  const capture = (...args: string[]) => runProofsheet(['capture', ...args, pageOf(site, '/a')], env)
  expect(await capture()).toMatchObject({ code: 0 })
  await inStore(env, (store) => store.createProject({ projectId: randomUUID(), name: 'Other', created: 1 }))
  for (const there of [[], ['--server', service.url]]) {
    expect(await capture(...there)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/several projects\. Choose one with --project.*\n.* {2}Other\n/s),
    })
    expect(await capture(...there, '--project', 'Nobody')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/no project has the id or the name Nobody.*\n.* {2}Other\n/s),
    })
  }
  expect(await capture('--server', service.url, '--project', 'Other')).toMatchObject({ code: 0 })
})

test('mistakes are reported before anything begins', async () => {
  const { env, project } = await newProject()
  const bad = await runProofsheet(['capture', '--project', project, 'ftp://x/', 'example.com'], env)
  expect([bad.code, bad.stderr]).toEqual([
    2,
    'proofsheet: ftp://x/ must be an address that begins with http:// or https://\n' +
      'example.com must be an address that begins with http:// or https://\n',
  ])
  const unknown = await runProofsheet(['capture', '--project', randomUUID(), 'http://x/'], env)
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('there is no project')])
  const none = await runProofsheet(['capture', '--project', project, 'http://x/'], {
    ...env,
    CHROMIUM_PATH: '/bin/false',
  })
  expect([none.code, none.stderr]).toEqual([
    1,
    expect.stringContaining('The browser /bin/false does not start'),
  ])
  expect((await runProofsheet(['project', 'list'], env)).stdout).toMatch(new RegExp(`${project} .* 0 +0 +`))
})

test('a service on the same storage leaves the pages of a command alone, and captures those it leaves behind', async () => {
  const { site, env, project } = await newProject()
  // The service would report the page as blocked.
  const service = await serveProcess({ ...env, CAPTURE_ALLOW: '10.0.0.1' })
  const own = await runProofsheet(
    ['capture', '--project', project, pageOf(site, '/a'), pageOf(site, '/b')],
    env,
  )
  expect([own.code, own.stdout]).toEqual([0, expect.not.stringContaining('blocked')])
  const stopped = proofsheet(
    ['capture', '--project', project, ...Array.from({ length: 8 }, () => pageOf(site, '/never'))],
    env,
  )
  while (!site.asked.includes('/never')) await new Promise((resolve) => setTimeout(resolve, 50))
  stopped.child.kill('SIGINT')
  expect((await stopped.ended).code).toBe(1)
  const [, rootId = ''] = /stay queued, as root (\S{36})/.exec(stopped.stderr()) ?? []
  const status = `${service.url}/api/projects/${project}/screenshots/root/${rootId}/status?wait=20`
  await expect
    .poll(async () => await (await fetch(status)).json())
    .toMatchObject({ state: 'failed', counts: { failed: 8 } })
})

test('`work` captures pages that a service without a browser has accepted', async () => {
  const { site, env, project } = await newProject()
  const service = await serveProcess({ ...env, CAPTURE_CONCURRENCY: '0', CHROMIUM_PATH: '/bin/false' })
  const worker = proofsheet(['work'], { ...env, CAPTURE_CONCURRENCY: '1' })
  await worker.waitFor(/Capturing, 1 page at a time/)
  const asked = await runProofsheet([
    'capture',
    '--project',
    project,
    '--server',
    service.url,
    pageOf(site, '/a'),
  ])
  expect([asked.code, asked.stderr]).toEqual([0, expect.stringContaining('Captured: 1 of 1 page')])
  worker.child.kill('SIGTERM')
  expect((await worker.ended).code).toBe(0)
  const idle = await runProofsheet(['work'], { ...env, CAPTURE_CONCURRENCY: '0' })
  expect([idle.code, idle.stderr]).toEqual([2, expect.stringContaining('a worker has nothing to do')])
  const blind = await runProofsheet(['work'], { ...env, CHROMIUM_PATH: '/bin/false' })
  expect([blind.code, blind.stderr]).toEqual([1, expect.stringContaining('does not start')])
})
