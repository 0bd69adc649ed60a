// @module-tag browser

import { execFileSync } from 'node:child_process'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import type { RootResult } from '../../src/contract/results.ts'
import { BROWSER_ENV, findTestBrowser } from '../support/browser/test-browser.ts'
import { COLOURED, coloursAt, servePages } from '../support/camera/pages.ts'
import { COMMAND, type RunningProcess, signalGroup, start } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { freePort } from '../support/servers/ports.ts'
import { S3_CREDENTIALS } from '../support/servers/s3.ts'
import { usePostgres, useS3 } from '../support/servers/use-servers.ts'
import { newWorld } from '../support/servers/worlds.ts'
import { makePng } from '../support/store/results.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const UUID = /^[0-9a-f-]{36}\n$/
const postgres = usePostgres()
const s3 = useS3()

/** The requests that the receiver of the webhook got. */
interface Told {
  readonly body: string
  readonly headers: IncomingHttpHeaders
}

/** The `sh` blocks of the README, and those that move a service to PostgreSQL and S3: each a list of commands. */
async function readCommands(): Promise<string[][]> {
  const readBlocks = async (document: string) =>
    [...(await readFile(join(ROOT, document), 'utf8')).matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) =>
      block.trim(),
    )
  const moving = (await readBlocks('docs/operating.md')).filter((block) => block.includes('proofsheet copy'))
  expect(moving).toHaveLength(1)
  return [...(await readBlocks('README.md')), ...moving].map(splitCommands)
}

/** One command per line, except for those continued after a backslash or within quotes. */
function splitCommands(block: string): string[] {
  const commands: string[] = []
  let open = ''
  for (const line of block.split('\n')) {
    open = open === '' ? line : `${open}\n${line}`
    if (open.endsWith('\\') || (open.match(/'/g) ?? []).length % 2 === 1) continue
    commands.push(open)
    open = ''
  }
  return commands
}

/** The files of a fresh clone of this tree: no data, no dist; and the packages installed here. */
async function cloneTree(): Promise<string> {
  const folder = join(await makeFolder(), 'proofsheet')
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  for (const file of files.trim().split('\n')) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await cp(join(ROOT, file), join(folder, file))
  }
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/**
 * The packages are installed before this suite runs, with the same command. What npx does, and the sources, are tested by the first two
 * commands; their three seconds are not spent for every command.
 */
const withoutInstalling = (command: string) => command.replace('npm ci && ', '')
const WITHOUT_NPX = `npx() { shift; PATH="$PWD/node_modules/.bin:$PATH" node "${COMMAND}" "$@"; }`

/** The machine's own node and npm come first again, as in a newcomer's shell. */
function newcomersPath(): string {
  const path = process.env['PATH'] ?? ''
  return path
    .split(delimiter)
    .filter((entry) => !entry.includes('node_modules'))
    .join(delimiter)
}

test('the commands of the README work as written, in a fresh clone with the machine’s own Node', async () => {
  const blocks = await readCommands()
  const [START, TEST] = ['npm ci && npm start', 'npm ci && npm test']
  expect(blocks[0]).toEqual([START])
  expect(blocks.flat()).toContain(TEST)
  expect(await readFile(join(ROOT, '.ci', 'run'), 'utf8')).toContain(`\n${TEST}\n`)

  const cwd = await cloneTree()
  const told = Promise.withResolvers<Told>()
  const site = await servePages((path, response, request) => {
    if (path === '/hooks') void text(request).then((body) => told.resolve({ body, headers: request.headers }))
    response.end(COLOURED)
  })
  const port = String(await freePort())
  const { DATABASE_URL, IMAGES_URL } = await newWorld({ newDatabase: postgres.newEmptyDatabase }, s3)
  const env = {
    ...BROWSER_ENV,
    // So that `browser install` does not change the machine that runs the tests.
    CHROMIUM_PATH: (await findTestBrowser()).path,
    PATH: newcomersPath(),
    PORT: port,
    LOG_LEVEL: 'warn',
    CAPTURE_ALLOW: `127.0.0.1:${site.port}`,
    WEBHOOK_ALLOW: `127.0.0.1:${site.port}`,
    npm_config_prefer_offline: 'true',
    ...S3_CREDENTIALS,
  }
  const shell = (command: string, before = WITHOUT_NPX): RunningProcess => {
    const here = withoutInstalling(command)
      .replaceAll(':8080', `:${port}`)
      .replaceAll('https://example.com', site.url)
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${site.port}`)
      .replace('postgres://me:secret@db.example.com/proofsheet', DATABASE_URL)
      .replace('s3://shots?region=eu-central-1', IMAGES_URL)
    return start('bash', ['-c', `${before}\n${here}`], { env, cwd })
  }

  const service = shell(START)
  await service.waitFor(/Stop with Ctrl\+C/)
  expect(service.stdout()).toContain(`The data is in ${cwd}/data`)
  const printed = service
    .stdout()
    .split('\n')
    .flatMap((line) => /^ {2}(\S.*?)(?: {3}\(.*)?$/.exec(line)?.[1] ?? [])
  expect(printed).toEqual([
    'npx proofsheet capture https://example.com/',
    expect.stringMatching(
      /^CAPTURE_ALLOW=127\.0\.0\.1:3000 npx proofsheet capture http:\/\/127\.0\.0\.1:3000\/$/,
    ),
    expect.stringMatching(/^curl http:\S+$/),
  ])
  for (const [index, command] of printed.slice(0, 2).entries())
    expect(await finish(shell(command, index === 0 ? '' : WITHOUT_NPX))).toMatch(/^done /m)
  await expectPictures(await finish(shell(printed[2] ?? '')))

  await mkdir(join(cwd, 'screenshots'))
  await writeFile(join(cwd, 'screenshots', 'home.png'), await makePng(500, 300))
  const example =
    /```json\n(\{"created".*?)\n```/s.exec(await readFile(join(ROOT, 'README.md'), 'utf8'))?.[1] ?? ''
  await writeFile(join(cwd, 'results.ndjson'), example)
  for (const command of blocks.slice(1).flat()) {
    if (command === TEST) continue
    if (command.endsWith('proofsheet serve') || command.endsWith('npm start')) {
      const open = shell(`PORT=0 ${command}`)
      await open.waitFor(/Stop with Ctrl\+C/)
      if (command.startsWith('HOST=')) expect(open.stdout()).toContain('npx proofsheet key create --project')
      const [, ready = ''] = await open.waitFor(/ready at (http:\S+)/)
      if (!command.startsWith('HOST=')) expect((await fetch(`${ready}/readyz`)).status).toBe(200)
      if (command.includes('postgres:')) expect(open.stdout()).toMatch(/database: postgres:\/\/…@/)
      if (command.includes('s3:')) expect(open.stdout()).toMatch(/pictures: s3:\/\/shots\//)
      await stop(open)
      continue
    }
    const output = await finish(shell(command))
    if (command.startsWith('curl -X POST')) expect(output).toMatch(/^\{"jobId":"[0-9a-f-]{36}"\}$/)
    else if (command.startsWith('curl')) await expectPictures(output)
    if (command.includes('proofsheet capture') && command.includes('--out')) {
      expect(output).toMatch(/^done .* shots\/127\.0\.0\.1-\d+\.png$/m)
      expect(
        await coloursAt(await readFile(join(cwd, 'shots', `127.0.0.1-${site.port}.png`)), [50, 50]),
      ).toEqual(['#00aa00'])
    } else if (command.includes('proofsheet capture')) {
      expect(output).toMatch(/^done .* 390x844 .*\ndone .* 1280x800 /m)
    }
    if (command.endsWith('browser install')) expect(output).toMatch(/^Pictures are taken with /)
    if (command.endsWith('proofsheet browser')) expect(output).toMatch(/^Picture +\d/m)
    if (command.includes('schedule create')) expect(output).toMatch(UUID)
    if (command.includes('schedule run')) {
      const secret = await readFile(join(cwd, 'webhook-secret'), 'utf8')
      const { body, headers } = await told.promise
      const news = new Webhook(secret.trim()).verify(body, headers as Record<string, string>)
      expect(news).toMatchObject({ type: 'root.finished', data: { rootId: output.trim(), state: 'done' } })
    }
    if (command.includes('schedule list'))
      expect(output).toMatch(/^\S{36} +\w{3} 2\S{9} 02:00 +0 2 \* \* \* Europe\/Berlin +2.* Nightly$/m)
    if (command.includes('import')) expect(output).toMatch(/^added \S{36} /)
    if (command.endsWith('project list')) expect(output).toMatch(/22222222-\S+ .* 2 +2 +My site/)
    if (command.includes('proofsheet copy')) expect(output).toMatch(/22222222-\S+ +2 \/ 2 +2 \/ 2 +all there/)
    if (command.includes('key list')) expect(output).toMatch(/22222222-\S+ +read .* CI/)
  }
  await stop(service)
}, 600_000)

async function finish(command: RunningProcess): Promise<string> {
  const { code } = await command.ended
  expect([code, code === 0 ? '' : command.stderr()]).toEqual([0, ''])
  return command.stdout()
}

async function stop(service: RunningProcess): Promise<void> {
  signalGroup(service.child, 'SIGTERM')
  await service.ended
}

async function expectPictures(answer: string): Promise<void> {
  const roots = [JSON.parse(answer) as RootResult | RootResult[]].flat()
  const jobs = roots.flatMap((root) => root.jobs)
  expect(jobs.length).toBeGreaterThan(0)
  for (const { data, preview, screenshotParameter } of jobs) {
    const { width, height } = await sharp(await (await fetch(data)).arrayBuffer()).metadata()
    expect([width, height]).toEqual([screenshotParameter.width, screenshotParameter.height])
    expect((await fetch(preview)).status).toBe(200)
  }
}
