import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build, type Rolldown } from 'vite'
import { afterEach, beforeAll, expect, test } from 'vitest'
import type { Project } from '../../src/contract/browsing.ts'
import { projectPath, rootsPath } from '../../src/contract/paths.ts'
import type { RootResult } from '../../src/contract/results.ts'
import { BROWSER_ENV, hasBrowserAnywhere } from '../support/browser/test-browser.ts'
import { signalGroup, start } from '../support/processes/process.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TOOLS = join(ROOT, 'node_modules')
/** Folders that a fresh clone does not have. */
const NOT_CLONED = ['.git', 'node_modules', 'dist', 'data']
/** Node 24 comes before the machine's own. */
const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter)

const run = promisify(execFile)
/** A folder that is empty except for the installed package. */
let home = ''
const DEMO_ROOTS = 7
let failed = false

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proofsheet-package-'))
  const clone = join(folder, 'clone')
  home = join(folder, 'home')
  // Built in a copy: a build removes files for a moment that other tests serve.
  await cp(ROOT, clone, { recursive: true, filter: (path) => !NOT_CLONED.includes(basename(path)) })
  await symlink(TOOLS, join(clone, 'node_modules'))
  await mkdir(home)
  const npm = { npm_config_prefer_offline: 'true', npm_config_audit: 'false' }
  const env = { ...process.env, ...npm, PATH, NODE_ENV: undefined }
  await run('npm', ['pack', '--pack-destination', folder], { cwd: clone, env })
  const [tarball = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  // With --prefix: otherwise npm would use a folder further up that has a package.json.
  await run('npm', ['install', '--prefix', home, join('..', tarball)], { cwd: home, env })
  return async () => {
    if (failed) process.stderr.write(`kept for inspection: ${folder}\n`)
    else await rm(folder, { recursive: true, force: true })
  }
}, 300_000)

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail'
})

test('the package contains the program, its declarations and the README, and nothing else', async () => {
  const installed = join(home, 'node_modules', 'proofsheet')
  expect((await readdir(installed)).sort()).toEqual(['README.md', 'assets', 'bin', 'dist', 'package.json'])
  const files = await readdir(join(installed, 'dist'), { recursive: true })
  expect(files).toEqual(expect.arrayContaining(['index.js', 'index.d.ts', 'main.js', 'gallery/index.html']))
  expect(files.filter((name) => /\.map$|\.test\.|(?<!\.d)\.tsx?$/.test(name))).toEqual([])
})

test('an installation that uses a folder has neither the AWS SDK nor a browser', async () => {
  const scopes = await readdir(join(home, 'node_modules'))
  expect(scopes).toContain('fastify')
  expect(scopes.filter((name) => ['@aws-sdk', '@smithy', '@sparticuz'].includes(name))).toEqual([])
})

test('`npx proofsheet serve --demo` shows the demo, and a program can read it with the client', async () => {
  const service = start('npx', ['--no', 'proofsheet', 'serve', '--demo'], {
    cwd: home,
    env: { ...BROWSER_ENV, PATH, PORT: '0' },
  })
  const [, url = ''] = await service.waitFor(/ready at (http\S+)/)
  expect(await (await fetch(url)).text()).toContain('<title>proofsheet</title>')
  const read = async (path: string) => await (await fetch(url + path)).json()
  let projectId = ''
  let roots: RootResult[] = []
  const findRoots = async () => {
    const [project] = (await read('/api/projects')) as Project[]
    if (!project) return 0
    projectId = project.projectId
    roots = (await read(rootsPath(projectId))) as RootResult[]
    return roots.length
  }
  await expect.poll(findRoots, { timeout: 30_000 }).toBe(DEMO_ROOTS)
  const picture = await fetch(roots.at(-1)?.jobs[0]?.data ?? '')
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])

  const program = `import { createClient, type RootResult } from 'proofsheet/client'
    const roots: RootResult[] = []
    for await (const page of createClient({ server: '${url}' }).listRoots('${projectId}', { limit: 2 }))
      roots.push(...page)
    console.log(JSON.stringify(roots.map(({ rootId }) => rootId)))`
  await writeFile(join(home, 'read.mts'), program)
  const { stdout } = await run(process.execPath, ['read.mts'], { cwd: home })
  expect(JSON.parse(stdout)).toEqual(expect.arrayContaining(roots.map(({ rootId }) => rootId)))

  // Like Ctrl+C: every process started from the terminal gets the signal.
  signalGroup(service.child, 'SIGINT')
  await service.ended
})

test.skipIf(hasBrowserAnywhere())(
  'without a browser the demo is complete, and one sentence says what is missing',
  async () => {
    const service = start(join(home, 'node_modules', '.bin', 'proofsheet'), ['serve', '--demo'], {
      cwd: home,
      // Node, and no browser.
      env: { PATH: dirname(process.execPath), HOME: home, DATA_DIR: 'blind', PORT: '0' },
    })
    const [, url = ''] = await service.waitFor(/ready at (http\S+)/)
    await service.waitFor(/Stop with Ctrl/)
    const words =
      'There is no browser to take pictures with. Install one with: npx proofsheet browser install'
    expect(service.stdout()).toContain(words)
    const ready = await (await fetch(`${url}/readyz`)).json()
    expect(ready).toEqual({ status: 'ok', capturing: { state: 'no_browser', detail: words } })
    const [project] = (await (await fetch(`${url}/api/projects`)).json()) as Project[]
    const projectId = project?.projectId ?? ''
    const pictures = async () => {
      const roots = (await (await fetch(url + rootsPath(projectId))).json()) as RootResult[]
      return roots.map(({ jobs }) => jobs.length).toSorted()
    }
    await expect.poll(pictures, { timeout: 30_000 }).toEqual([2, 4, 4, 4, 4, 4, 4])
    const asked = await fetch(url + projectPath(projectId), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        screenshotParameter: { width: 100, height: 100 },
        urls: [{ url: 'https://example.com/', name: 'x' }],
      }),
    })
    expect([asked.status, await asked.json()]).toEqual([
      503,
      expect.objectContaining({ code: 'no_browser', detail: words }),
    ])
    const shown = start(join(home, 'node_modules', '.bin', 'proofsheet'), ['browser'], {
      cwd: home,
      env: { PATH: dirname(process.execPath), HOME: home },
    })
    expect([(await shown.ended).code, shown.stderr()]).toEqual([
      1,
      expect.stringContaining('npx proofsheet browser install'),
    ])
  },
)

test('with S3 but without the SDK, the error says what to install', async () => {
  const service = start(join(home, 'node_modules', '.bin', 'proofsheet'), ['serve'], {
    cwd: home,
    env: { PATH, DATA_DIR: 'other', IMAGES_URL: 's3://shots?region=eu-central-1' },
  })
  expect((await service.ended).code).toBe(1)
  expect(service.stderr()).toBe(
    'proofsheet: Pictures in S3 need a package that is not installed. Run: npm install @aws-sdk/client-s3\n',
  )
})

const CLIENT = `import { createClient, NoAnswerError, type RootStatus } from 'proofsheet/client'
  const client = createClient({ server: 'http://127.0.0.1:8080' })
  export async function follow(): Promise<RootStatus | undefined> {
    let last: RootStatus | undefined
    for await (const status of client.watchStatus('a', 'b', { patience: 30 })) last = status
    return last
  }
  follow().catch((error: unknown) => console.log(error instanceof NoAnswerError))`

const SERVICE = `import { openService, openStorage, readConfig, type Service } from 'proofsheet'
  const config = readConfig({ PORT: '0' })
  export const service: Service = await openService(config, await openStorage(config))`

/** As strict as possible: declarations are checked, too, and so must be complete. */
const STRICT = '--ignoreConfig --singleThreaded --noEmit --strict --skipLibCheck false --target es2024'.split(
  ' ',
)

const IN_NODE = ['--module', 'nodenext']
const IN_BUNDLER = ['--module', 'esnext', '--moduleResolution', 'bundler']
/** A web page has no types of Node. */
const IN_PAGE = ['--lib', 'esnext,dom', '--types', '']
const ON_SERVER = ['--typeRoots', join(TOOLS, '@types'), '--types', 'node']

test.for([
  ['client', 'Node', CLIENT, [...IN_NODE, ...IN_PAGE]],
  ['client', 'a bundler', CLIENT, [...IN_BUNDLER, ...IN_PAGE]],
  ['service', 'Node', SERVICE, [...IN_NODE, ...ON_SERVER]],
] as const)('the %s has types if %s resolves the modules', async ([name, , text, options]) => {
  await writeFile(join(home, `${name}.mts`), text)
  await run(join(TOOLS, '.bin', 'tsc'), [...STRICT, ...options, `${name}.mts`], { cwd: home }).catch(
    ({ stdout }) => {
      throw new Error(stdout)
    },
  )
})

test('a page built with Vite contains the client, and nothing else of the package', async () => {
  const root = join(home, 'page')
  await mkdir(root)
  await writeFile(join(root, 'index.html'), '<script type="module" src="/page.ts"></script>')
  await writeFile(join(root, 'page.ts'), CLIENT)
  const built = await build({ root, configFile: false, logLevel: 'warn', build: { write: false } })
  const { output } = built as Rolldown.RolldownOutput
  const [page, ...others] = output.filter((file) => file.type === 'chunk')
  expect([others, page?.imports]).toEqual([[], []])
  expect(page?.code).toContain('/api/projects/')
  const modules = page?.moduleIds.filter((id) => id.includes('proofsheet/dist')) ?? []
  expect(modules.filter((id) => id.endsWith('/dist/client/client.js'))).toHaveLength(1)
  expect(modules.filter((id) => !/\/dist\/(client|contract)\//.test(id))).toEqual([])
})

test('an old Node is refused with the version required', async () => {
  const script = `Object.defineProperty(process.versions, 'node', { value: '20.1.0' }); await import(${JSON.stringify(join(ROOT, 'bin', 'proofsheet.js'))})`
  const old = start(process.execPath, ['--input-type=module', '-e', script])
  expect((await old.ended).code).toBe(1)
  expect(old.stderr()).toMatch(/^proofsheet needs Node 24 or newer/)
})
