// @module-tag browser

import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32 } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { writeZip } from '../../../src/results/zip.ts'
import { findTestBrowser, hasBrowserAnywhere } from '../../support/browser/test-browser.ts'
import { COLOURED, coloursAt, servePages } from '../../support/camera/pages.ts'
import { runProofsheet } from '../../support/processes/process.ts'
import { makeFolder } from '../../support/processes/workspace.ts'

const HIDE = fileURLToPath(new URL('../../support/browser/hide-npm-browser.ts', import.meta.url))

/** A user of a machine without a browser, which has Node and the few programs that scripts need. */
async function newUser() {
  const home = await makeFolder()
  const bin = join(home, 'bin')
  await mkdir(bin)
  await symlink(process.execPath, join(bin, 'node'))
  for (const name of ['env', 'sh']) await symlink(join('/usr/bin', name), join(bin, name))
  const env = { PATH: bin, HOME: home, DATA_DIR: join(home, 'data'), NODE_OPTIONS: `--import ${HIDE}` }
  return { home, bin, env }
}

/** The browser of the tests under another name, started by a script that does more. */
async function makeScript(): Promise<string> {
  const { path } = await findTestBrowser()
  return `#!/bin/sh\nA=1\nexec "${path}" "$@"\n`
}

/** Playwright's downloads, on loopback: every URL has this one file. */
async function serveDownloads(text: string): Promise<string> {
  const server = createServer(async (request, answer) => {
    const archive = basename(request.url ?? '', '.zip')
    const name = archive.startsWith('ffmpeg') ? archive : `${archive}/chrome-headless-shell`
    const bytes = Buffer.from(text)
    const entry = { name, modified: 0, size: bytes.length, crc: crc32(bytes), read: () => [bytes] }
    const zip = Buffer.concat(await Array.fromAsync(writeZip(one(entry))))
    answer.writeHead(200, { 'content-length': zip.length }).end(zip)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function* one<T>(item: T): AsyncGenerator<T> {
  yield item
}

test.skipIf(hasBrowserAnywhere())(
  'a headless shell is downloaded into Playwright’s cache and captures a local page at once',
  async () => {
    const { home, env } = await newUser()
    const host = await serveDownloads(await makeScript())
    const none = await runProofsheet(['browser'], env)
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('npx proofsheet browser install')])

    const installed = await runProofsheet(['browser', 'install'], { ...env, PLAYWRIGHT_DOWNLOAD_HOST: host })
    expect([installed.code, installed.stdout]).toEqual([
      0,
      expect.stringMatching(/^Pictures are taken with \S+, a headless shell in Playwright’s cache\.\n/),
    ])
    const shown = await runProofsheet(['browser'], env)
    expect([shown.code, shown.stderr]).toEqual([0, ''])
    expect(shown.stdout).toMatch(
      /^Browser .*\n.* version \d+\.\S+\nSandbox .*\nFonts .*Picture +\d+\.\d\d s /s,
    )

    const site = await servePages((_path, response) => response.end(COLOURED))
    await runProofsheet(['project', 'create', '--name', 'Mine'], env)
    const out = join(home, 'shots')
    const captured = await runProofsheet(['capture', '--out', out, site.url], {
      ...env,
      CAPTURE_ALLOW: `127.0.0.1:${site.port}`,
    })
    expect([captured.code, captured.stderr]).toEqual([0, expect.stringContaining('1 of 1 page')])
    const [file = ''] = await readdir(out)
    expect(await coloursAt(await readFile(join(out, file)), [50, 50])).toEqual(['#00aa00'])

    // The second time there is nothing to do, and nothing is requested.
    expect(
      await runProofsheet(['browser', 'install'], { ...env, PLAYWRIGHT_DOWNLOAD_HOST: 'http://127.0.0.1:9' }),
    ).toMatchObject({
      code: 0,
      stderr: '',
    })
  },
)

test('nothing is installed if CHROMIUM_PATH is set', async () => {
  const { env } = await newUser()
  const { code, stdout, stderr } = await runProofsheet(['browser', 'install'], {
    ...env,
    CHROMIUM_PATH: '/bin/false',
    PLAYWRIGHT_DOWNLOAD_HOST: 'http://127.0.0.1:9',
  })
  expect([code, stderr, stdout]).toEqual([0, '', expect.stringContaining('because CHROMIUM_PATH names it')])
})

const isDebian = await readFile('/etc/os-release', 'utf8').then(
  (text) => /^ID(_LIKE)?=.*(debian|ubuntu)/m.test(text),
  () => false,
)

/** Replaces the machine's apt: installs the packages it knows, or none. */
async function makeApt(bin: string, known: string): Promise<void> {
  const path = join(bin, 'apt-get')
  const script = join(dirname(bin), 'shell')
  await writeFile(script, await makeScript())
  await chmod(script, 0o755)
  const lines = [
    '#!/bin/sh',
    'for last; do :; done',
    'if [ "$last" = update ]; then exit 0; fi',
    `if [ "$last" = ${known} ]; then exec "${process.execPath}" -e 'fs.symlinkSync("${script}", "${bin}/${known}")'; fi`,
    'echo "E: Unable to locate package $last" >&2; exit 100',
  ]
  await writeFile(path, `${lines.join('\n')}\n`)
  await chmod(path, 0o755)
}

test.runIf(isDebian && process.getuid?.() === 0)(
  'if Playwright’s downloads are unreachable, root on Debian gets a browser from apt',
  async () => {
    // The headless shell is tried first, and is not known.
    const known = 'chromium'
    const { bin, env } = await newUser()
    await makeApt(bin, known)
    const installed = await runProofsheet(['browser', 'install'], {
      ...env,
      PLAYWRIGHT_DOWNLOAD_HOST: 'http://127.0.0.1:9',
    })
    expect([installed.code, installed.stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^Pictures are taken with ${bin}/${known}, `)),
    ])
  },
)

test.skipIf(hasBrowserAnywhere())(
  'if no source works, the error says why and names the command for this system',
  async () => {
    const { bin, env } = await newUser()
    await makeApt(bin, 'nothing')
    const { code, stderr } = await runProofsheet(['browser', 'install'], {
      ...env,
      PLAYWRIGHT_DOWNLOAD_HOST: 'http://127.0.0.1:9',
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(/No browser could be installed\.\n {2}The download failed: .*ECONNREFUSED/s)
    expect(stderr).toMatch(/Install one by hand:\n {2}\S+/)
    expect(stderr).not.toContain('    at ')
  },
)
