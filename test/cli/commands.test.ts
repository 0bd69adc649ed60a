import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { RootResult } from '../../src/contract/results.ts'
import type { RootStatus } from '../../src/contract/status.ts'
import { BROWSER_ENV } from '../support/browser/test-browser.ts'
import { BIN, proofsheet, runProofsheet, serveProcess, start } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { page, writeImport } from '../support/store/import-file.ts'
import { makePng, rootsUrl } from '../support/store/results.ts'
import { seedRows } from '../support/store/seed.ts'

const DEMO = '11111111-1111-4111-8111-111111111111'

async function newEnv(more: Record<string, string> = {}) {
  const folder = await makeFolder()
  return { folder, env: { DATA_DIR: join(folder, 'data'), ...more } }
}

describe('help', () => {
  test.each([
    [['--help'], /serve.*import.*project.*key/s],
    [['serve', '--help'], /--demo.*HOST.*SIGNING_KEYS.*SHUTDOWN_TIMEOUT/s],
    [['import', '--help'], /--project.*"rootId".*preview.*Exit code/s],
    [['capture', '--help'], /Window:.*--size.*Visitor:.*Before the picture:.*Picture:.*--effect.*Exit code/s],
    [['project', '--help'], /create.*list/s],
    [['project', 'create', '--help'], /--id.*--name/s],
    [
      ['schedule', 'create', '--help'],
      /--template.*--cron.*--zone.*--every.*--overlap.*Window:.*every night/s,
    ],
    [['webhook', 'create', '--help'], /--url.*--event.*root\.finished.*--format.*WEBHOOK_ALLOW/s],
    [['key', '--help'], /create.*list.*revoke/s],
    [['key', 'create', '--help'], /--project.*--scope.*write includes read/s],
  ])('%s prints help to stdout', async (args, pattern) => {
    const { code, stdout, stderr } = await runProofsheet(args)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(pattern)
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120)
  })

  test.each([
    ['--version', 0, /^\d+\.\d+\.\d+\n$/],
    ['nonsense', 2, /^$/],
  ])('%s works with the program as users start it', async (argument, code, output) => {
    const command = start(process.execPath, [BIN, argument])
    expect((await command.ended).code).toBe(code)
    expect(command.stdout()).toMatch(output)
  })

  test.each([
    [[], 'Usage:'],
    [['nonsense'], "unknown command 'nonsense'"],
    [['import', '--project', DEMO], "missing required argument 'source'"],
    [['key', 'create', '--project', DEMO, '--scope', 'admin'], 'Allowed choices are read, write'],
    [['serve', '--nonsense'], "unknown option '--nonsense'"],
    [['serve', '--port', '3000'], 'environment: PORT=3000 npx proofsheet serve\n'],
    [['serve', '--database-url', 'postgres://me:s3cret@db/x'], 'DATABASE_URL=postgres://…@db/x npx'],
    [['serve', '--metrics-token', 'abc'], 'METRICS_TOKEN=… npx'],
    [['work', '--data-dir=/tmp/x'], 'environment: DATA_DIR=/tmp/x npx proofsheet work\n'],
  ])('%s is refused with exit code 2', async (args, message) => {
    const { folder, env } = await newEnv()
    const { code, stderr } = await runProofsheet(args, env)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(await readdir(folder)).toEqual([])
  })
})

describe('settings', () => {
  test('all mistakes are reported at once, by name, before anything opens', async () => {
    const { folder, env } = await newEnv({
      PORT: 'http',
      AUTH: 'maybe',
      SIGNING_KEYS: 'short',
      PUBLIC_URL: 'ftp://x',
      DATABASE_URL: 'mysql://x',
      CHROMIUM_PATH: '/nope',
      CAPTURE_ALLOW: 'localhost:0,http://x,10.0.0.0/99,localhost:3000',
    })
    const { code, stderr } = await runProofsheet(['serve'], env)
    expect(code).toBe(2)
    for (const name of ['PORT', 'AUTH', 'SIGNING_KEYS', 'PUBLIC_URL', 'DATABASE_URL', 'CHROMIUM_PATH'])
      expect(stderr).toMatch(new RegExp(`- ${name} `))
    expect(stderr).toMatch(/- CAPTURE_ALLOW .*"localhost:0".*"http:\/\/x".*"10\.0\.0\.0\/99"/)
    expect(stderr).not.toContain('    at ')
    expect(await readdir(folder)).toEqual([])
  })

  test('AUTH=open on an address that others can reach refuses to start and says why', async () => {
    const { env } = await newEnv({ HOST: '0.0.0.0', AUTH: 'open' })
    const { code, stderr } = await runProofsheet(['serve'], env)
    expect(code).toBe(2)
    expect(stderr).toContain('AUTH=open would let anyone who reaches 0.0.0.0 read everything')
    expect(stderr).toContain('AUTH=open-to-everyone')
  })
})

describe('projects and keys', () => {
  test('are created, listed and revoked; the key is shown once', async () => {
    const { env } = await newEnv()
    const created = await runProofsheet(['project', 'create', '--name', 'My \u001b[31msite'], env)
    const projectId = created.stdout.trim()
    expect(projectId).toMatch(/^[0-9a-f-]{36}$/)
    const again = await runProofsheet(['project', 'create', '--id', projectId], env)
    expect([again.code, again.stderr]).toEqual([1, `proofsheet: project ${projectId} exists already\n`])
    const projects = await runProofsheet(['project', 'list'], env)
    expect(projects.stdout).toMatch(new RegExp(`^PROJECT .*\\n${projectId} .* 0 +0 +My .\\[31msite\\n$`))
    expect(projects.stdout).not.toContain('\u001b')

    const key = await runProofsheet(['key', 'create', '--project', projectId, '--label', 'CI'], env)
    expect(key.stdout).toMatch(/^psk_[\w-]{43}\n$/)
    const keyId = /key ([0-9a-f]{12})/.exec(key.stderr)?.[1] ?? ''
    const listed = await runProofsheet(['key', 'list', '--project', projectId], env)
    expect(listed.stdout).toMatch(new RegExp(`${keyId} +${projectId} +read .* valid +CI`))
    expect(listed.stdout).not.toContain(key.stdout.trim())
    expect((await runProofsheet(['key', 'revoke', keyId], env)).code).toBe(0)
    expect((await runProofsheet(['key', 'list'], env)).stdout).toContain('revoked 20')
    const unknown = await runProofsheet(['key', 'revoke', 'nope'], env)
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('there is no key nope')])
  })

  test('creating a key for an unknown project explains how to create the project', async () => {
    const { env } = await newEnv()
    const { code, stderr } = await runProofsheet(['key', 'create', '--project', DEMO], env)
    expect([code, stderr]).toEqual([1, expect.stringContaining(`npx proofsheet project create --id ${DEMO}`)])
  })
})

describe('import', () => {
  test('adds many jobs while the service runs; the list then has them, newest first', async () => {
    const { folder, env } = await newEnv()
    const projectId = (await runProofsheet(['project', 'create'], env)).stdout.trim()
    const service = await serveProcess(env)
    const list = async () => (await (await fetch(service.url + rootsUrl(projectId))).json()) as RootResult[]
    expect(await list()).toEqual([])
    const file = await writeImport(
      folder,
      Array.from({ length: 25 }, (_, index) => ({
        created: 1_000_000 + ((index * 37) % 25),
        jobs: Array.from({ length: 3 }, (_, job) => page({ basepath: `/${index}/${job}` })),
      })),
    )
    const importing = proofsheet(['import', '--project', projectId, file], env)
    await importing.waitFor(/added/)
    const during = await list()
    expect(during.length).toBeGreaterThan(0)
    expect(during.every((root) => root.jobs.length === 3)).toBe(true)
    expect((await importing.ended).code).toBe(0)
    expect(importing.stderr()).toContain('Imported: 25 roots with 75 pictures added.')
    const after = await list()
    expect(after.flatMap((root) => root.jobs)).toHaveLength(75)
    expect(after.map((root) => root.meta.created)).toEqual(
      Array.from({ length: 25 }, (_, index) => 1_000_024 - index),
    )
  })

  test('the exit code says whether everything was added; each root has its line', async () => {
    const { folder, env } = await newEnv()
    const projectId = (await runProofsheet(['project', 'create'], env)).stdout.trim()
    const file = await writeImport(folder, [
      { jobs: [page()] },
      'nonsense',
      { jobs: [page({ basepath: '/2' })] },
    ])
    const first = await runProofsheet(['import', '--project', projectId, file], env)
    expect(first.code).toBe(1)
    expect(first.stderr).toMatch(
      /results\.ndjson:2: is not JSON .*\n.*Imported: 2 roots with 2 pictures added, 1 root refused\./s,
    )
    expect(first.stdout).toMatch(/^added \S{36} results\.ndjson:1\nadded \S{36} results\.ndjson:3\n$/)
    const second = await runProofsheet(['import', '--project', projectId, file], env)
    expect(second.stdout).toBe(first.stdout.replaceAll('added', 'present'))
    expect(second.stderr).toContain(
      'Imported: 0 roots with 0 pictures added, 2 roots already there, 1 root refused.',
    )
  })

  test('a pipe is refused as a source, and a closed output does not stop the import', async () => {
    const { folder, env } = await newEnv()
    const projectId = (await runProofsheet(['project', 'create'], env)).stdout.trim()
    const file = await writeImport(
      folder,
      Array.from({ length: 100 }, (_, index) => ({ jobs: [page({ basepath: `/${index}` })] })),
    )
    const pipe = await runProofsheet(['import', '--project', projectId, '/dev/stdin'], env)
    expect([pipe.code, pipe.stderr]).toEqual([
      2,
      'proofsheet: the source must be a file or a folder, not a pipe\n',
    ])
    const importing = proofsheet(['import', '--project', projectId, file], env)
    await importing.waitFor(/added/)
    importing.child.stdout?.destroy()
    importing.child.stderr?.destroy()
    expect((await importing.ended).code).toBe(0)
    expect((await runProofsheet(['project', 'list'], env)).stdout).toMatch(/ 100 +100 +Untitled/)
  })

  test('a folder becomes one root', async () => {
    const { folder, env } = await newEnv()
    const projectId = (await runProofsheet(['project', 'create'], env)).stdout.trim()
    await mkdir(join(folder, 'shots'))
    await writeFile(join(folder, 'shots', 'home.png'), await makePng())
    const { code, stdout, stderr } = await runProofsheet(
      ['import', '--project', projectId, join(folder, 'shots')],
      env,
    )
    expect([code, stdout, stderr]).toEqual([
      0,
      expect.stringMatching(/^added \S{36} shots\n$/),
      'Imported: 1 root with 1 picture added.\n',
    ])
  })

  test('Ctrl+C finishes the roots under way, reports where it stopped, and leaves nothing behind', async () => {
    const { folder, env } = await newEnv()
    const projectId = (await runProofsheet(['project', 'create'], env)).stdout.trim()
    const lines = Array.from({ length: 1_000 }, (_, index) => ({ jobs: [page({ basepath: `/${index}` })] }))
    const importing = proofsheet(['import', '--project', projectId, await writeImport(folder, lines)], env)
    await importing.waitFor(/added/)
    importing.child.kill('SIGINT')
    expect(await importing.ended).toEqual({ code: 1, signal: null })
    expect(importing.stderr()).toMatch(
      /Stopped: \d+ roots? with .* Run the same command again to continue\.\nproofsheet: interrupted\n$/,
    )
    expect(await readdir(join(env.DATA_DIR, 'images', '.staging'))).toEqual([])
    const listed = await runProofsheet(['project', 'list'], env)
    expect(listed.stdout).toMatch(
      new RegExp(` ${importing.stdout().match(/^added/gm)?.length} +\\d+ +Untitled`),
    )
  })

  test('a missing project or file is reported before anything is read', async () => {
    const { folder, env } = await newEnv()
    const unknown = await runProofsheet(['import', '--project', DEMO, folder], env)
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining(`there is no project ${DEMO}`),
    ])
    await runProofsheet(['project', 'create', '--id', DEMO], env)
    const missing = await runProofsheet(['import', '--project', DEMO, join(folder, 'nothing')], env)
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('there is no file or folder')])
  })
})

describe('serve', () => {
  /** The demo's roots, newest first, once each has all its pictures. */
  async function wholeDemo(url: string): Promise<RootResult[]> {
    const pictures = [4, 4, 2, 4, 4, 4, 4]
    for (;;) {
      const roots = (await (await fetch(url + rootsUrl(DEMO))).json()) as RootResult[]
      if (
        isDeepStrictEqual(
          roots.map(({ jobs }) => jobs.length),
          pictures,
        )
      )
        return roots
      await sleep(50)
    }
  }

  test('--demo fills an empty store once, even after an interruption, and captures the newest root', {
    tags: ['browser'],
  }, async () => {
    const { env } = await newEnv({
      PORT: '0',
      // The limits of the operator do not apply to the demo.
      MAX_JOBS_PER_ROOT: '1',
      MAX_PICTURE_BYTES: '1000',
      ...BROWSER_ENV,
    })
    const killed = proofsheet(['serve', '--demo'], env)
    const [, before = ''] = await killed.waitFor(/ready at (http:\S+)/)
    while (((await (await fetch(before + rootsUrl(DEMO))).json()) as RootResult[]).length === 0)
      await sleep(5)
    killed.child.kill('SIGKILL')
    await killed.ended
    const first = proofsheet(['serve', '--demo'], env)
    const [, url = ''] = await first.waitFor(/ready at (http:\S+)/)
    const roots = await wholeDemo(url)
    expect(roots[0]?.jobs[0]?.screenshotParameter).toMatchObject({ width: 1200, height: 720 })
    // Captured here, not taken from the package, which the killed process may have begun to do.
    const asked = await fetch(`${url}${rootsUrl(DEMO)}/${roots[0]?.rootId}/status`)
    const status = (await asked.json()) as RootStatus
    expect(status.urls.every(({ started, finished }) => (finished ?? 0) > (started ?? 0))).toBe(true)
    const [, list = ''] = /curl (http:\S+)/.exec(first.stdout()) ?? []
    expect(await (await fetch(list)).json()).toEqual(roots)
    expect(first.stdout()).toContain(`DATA_DIR=${env.DATA_DIR} npx proofsheet capture https://`)
    expect(first.stdout()).toContain(`The data is in ${env.DATA_DIR}`)
    first.child.kill('SIGTERM')
    expect((await first.ended).code).toBe(0)
    const second = proofsheet(['serve', '--demo'], env)
    const [, again = ''] = await second.waitFor(/ready at (http:\S+)/)
    expect((await wholeDemo(again)).map(({ rootId }) => rootId)).toEqual(roots.map(({ rootId }) => rootId))
    expect(second.stdout()).not.toContain('being captured')
  })

  test('--demo is complete without a working browser, and says what is wrong with the one found', async () => {
    const { env } = await newEnv({ PORT: '0', CHROMIUM_PATH: '/bin/false' })
    const service = proofsheet(['serve', '--demo'], env)
    const [, url = ''] = await service.waitFor(/ready at (http:\S+)/)
    const [newest] = await wholeDemo(url)
    await service.waitFor(/\/bin\/false does not start/)
    for (const { data } of newest?.jobs ?? []) expect((await fetch(data)).status).toBe(200)
  })

  test('--demo that is stopped says what is kept and what the next start adds', async () => {
    const { env } = await newEnv({ PORT: '0', ...BROWSER_ENV })
    const service = proofsheet(['serve', '--demo'], env)
    await service.waitFor(/Stop with Ctrl/)
    service.child.kill('SIGINT')
    expect((await service.ended).code).toBe(0)
    // A machine that was frozen until now has filled it meanwhile.
    const kept = /(\d+) roots? with (\d+) pictures? kept in \S+; the next npm start/.exec(service.stdout())
    const [, roots, pictures] = kept ?? ['', '7', '26']
    const { stdout } = await runProofsheet(['project', 'list'], env)
    expect(stdout).toMatch(new RegExp(`${DEMO} .* ${roots} +${pictures} +Demo`))
  })

  test('a folder that cannot be used gives one sentence, not a stack trace', async () => {
    const { folder } = await newEnv()
    await writeFile(join(folder, 'file'), '')
    // A folder cannot be created in /proc, and Node's own way to create it never ends.
    for (const DATA_DIR of [join(folder, 'file'), join(folder, 'file', 'below'), '/proc/file/below']) {
      const { code, stderr } = await runProofsheet(['project', 'list'], { DATA_DIR })
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/^proofsheet: .*file.* cannot be used: \w+: .*\n$/),
      ])
    }
  })

  test('without --demo an empty store stays empty, and the log says what to do', async () => {
    const { env } = await newEnv()
    const service = await serveProcess(env)
    await service.waitFor(/npx proofsheet project create/)
    expect((await fetch(service.url + rootsUrl(DEMO))).status).toBe(404)
  })

  test('if keys are required, the log says how to create one, and that key works', async () => {
    const { env } = await newEnv({ HOST: '0.0.0.0' })
    await runProofsheet(['project', 'create', '--id', DEMO], env)
    const service = await serveProcess(env)
    const [, dataDir, command = ''] = await service.waitFor(
      /DATA_DIR=(\S+) npx proofsheet (key create --project \S+)/,
    )
    expect(dataDir).toBe(env.DATA_DIR)
    const address = `http://127.0.0.1:${new URL(service.url).port}${rootsUrl(DEMO)}`
    expect((await fetch(address)).status).toBe(401)
    const key = (await runProofsheet(command.split(' '), env)).stdout.trim()
    expect((await fetch(address, { headers: { authorization: key } })).status).toBe(200)
  })

  test('a start that fails after listening ends the process and says why', async () => {
    const { env } = await newEnv({ PORT: '0' })
    await runProofsheet(['project', 'create'], env)
    const database = new DatabaseSync(join(env.DATA_DIR, 'proofsheet.db'))
    database.exec('alter table roots rename to gone')
    database.close()
    const { code, stderr } = await runProofsheet(['serve'], env)
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('proofsheet: The database failed: no such table: roots'),
    ])
  })

  test('a second signal of either kind ends the process at once', async () => {
    const { folder, env } = await newEnv()
    const projectId = (await runProofsheet(['project', 'create'], env)).stdout.trim()
    const lines = Array.from({ length: 30 }, (_, index) => ({
      jobs: Array.from({ length: 200 }, (_, job) => page({ basepath: `/${index}/${job}` })),
    }))
    const importing = proofsheet(['import', '--project', projectId, await writeImport(folder, lines)], env)
    await importing.waitFor(/added/)
    importing.child.kill('SIGINT')
    while (!importing.stderr().includes('again to stop at once')) await sleep(5)
    importing.child.kill('SIGTERM')
    expect((await importing.ended).code).toBe(1)
    expect(importing.stderr()).not.toContain('Stopped')
  })

  test('a port that is in use is reported', async () => {
    const { env } = await newEnv()
    const service = await serveProcess(env)
    const { port } = new URL(service.url)
    const { code, stderr } = await runProofsheet(['serve'], { ...env, PORT: port })
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`127.0.0.1:${port} is in use by another program`),
    ])
  })

  test('SIGTERM lets requests under way finish; the exit code is 0', async () => {
    const { env } = await newEnv()
    const projectId = await seedRows(env.DATA_DIR, { roots: 300, jobsPerRoot: 30 })
    const service = await serveProcess(env)
    const response = await fetch(service.url + rootsUrl(projectId))
    service.child.kill('SIGTERM')
    const roots = (await response.json()) as RootResult[]
    expect(roots.flatMap((root) => root.jobs)).toHaveLength(9_000)
    expect(await service.ended).toEqual({ code: 0, signal: null })
    await expect(fetch(service.url)).rejects.toThrow()
  })
})
