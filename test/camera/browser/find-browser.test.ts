import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { findBrowser, findBrowsers, withoutScript } from '../../../src/camera/browser/find-browser.ts'
import { makeFolder } from '../../support/processes/workspace.ts'

// Programs that are never started: only executable files are looked for.

async function makeProgram(path: string, text = '#!/bin/sh\necho no browser\n'): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  await chmod(path, 0o755)
  return path
}

/** A machine of its own, with folders for programs and for the caches of its user. */
async function newMachine() {
  const folder = await makeFolder()
  const env = { PATH: `${join(folder, 'none')}:${join(folder, 'bin')}`, HOME: folder }
  const at = (path: string) => join(folder, path)
  const find = async (chromiumPath?: string) => {
    const all = await Array.fromAsync(findBrowsers({ chromiumPath, dataDir: at('data'), env }))
    // On x64 the npm package may be installed beside the tests.
    return all.filter(({ path }) => path.startsWith(folder) && !path.includes('.cache/proofsheet'))
  }
  return { at, env, find }
}

const CACHE = process.platform === 'darwin' ? 'Library/Caches/ms-playwright' : '.cache/ms-playwright'

test('headless shells come before full browsers, installed ones before those in a cache', async () => {
  const { at, find } = await newMachine()
  const places = [
    'bin/chromium-headless-shell',
    'bin/chrome-headless-shell',
    `${CACHE}/chromium_headless_shell-1254/chrome-headless-shell-linux64/chrome-headless-shell`,
    `${CACHE}/chromium_headless_shell-999/chrome-linux/headless_shell`,
    `${CACHE}/chromium-1254/chrome-linux64/chrome`,
    'bin/google-chrome',
    'bin/chromium',
  ]
  for (const place of places.toReversed()) await makeProgram(at(place))
  for (const name of ['chromium_headless_shell-1254', 'chromium_headless_shell-999', 'chromium-1254']) {
    await writeFile(at(`${CACHE}/${name}/INSTALLATION_COMPLETE`), '')
  }
  const found = await find()
  expect(found.map(({ path }) => path)).toEqual(places.map(at))
  expect(found.map(({ kind }) => kind)).toEqual([
    ...Array.from({ length: 4 }, () => 'headless shell'),
    ...Array.from({ length: 3 }, () => 'whole browser'),
  ])
  expect(new Set(found.map(({ origin }) => origin))).toEqual(
    new Set(['of this machine', 'in Playwright’s cache']),
  )
})

test('only CHROMIUM_PATH is used if it is set', async () => {
  const { at, find } = await newMachine()
  await makeProgram(at('bin/chromium-headless-shell'))
  const named = await makeProgram(at('elsewhere/chrome'))
  expect(await find(named)).toMatchObject([
    { path: named, kind: 'whole browser', origin: 'that CHROMIUM_PATH names' },
  ])
  for (const nothing of [at('nowhere'), at('bin')]) expect(await find(nothing)).toEqual([])
})

test('folders, files that are not executable and incomplete downloads are not found', async () => {
  const { at, find } = await newMachine()
  await mkdir(at('bin/chromium-headless-shell'), { recursive: true })
  await writeFile(at('bin/chromium'), '')
  await makeProgram(at(`${CACHE}/chromium_headless_shell-1/chrome-linux/headless_shell`))
  expect(await find()).toEqual([])
})

test('a browser with several names and links is found once', async () => {
  const { at, env, find } = await newMachine()
  const shell = await makeProgram(at('lib/shell'))
  await makeProgram(at('bin/chromium-headless-shell'), `#!/bin/sh\n${shell} "$@"\n`)
  await symlink('chromium-headless-shell', at('bin/chrome-headless-shell'))
  await symlink('bin', at('none'))
  expect(env.PATH).toContain(at('none'))
  expect((await find()).map(({ path }) => path)).toEqual([shell])
})

test('PLAYWRIGHT_BROWSERS_PATH sets the cache folder', async () => {
  const { at, env } = await newMachine()
  const path = await makeProgram(at('mine/chromium_headless_shell-7/chrome-linux/headless_shell'))
  await writeFile(at('mine/chromium_headless_shell-7/INSTALLATION_COMPLETE'), '')
  const where = { chromiumPath: undefined, dataDir: at('data') }
  expect(
    await findBrowser({ ...where, env: { ...env, PLAYWRIGHT_BROWSERS_PATH: at('mine') } }),
  ).toMatchObject({
    path,
  })
})

test('a path that is not a program is reported', async () => {
  const { at, env } = await newMachine()
  await expect(findBrowser({ chromiumPath: at('nowhere'), dataDir: at('data'), env })).rejects.toMatchObject({
    code: 'no_browser',
    message: `CHROMIUM_PATH=${at('nowhere')} is not a program that can be started.`,
  })
})

test.each([
  ['#!/bin/sh -e\n\n/usr/lib/x/shell "$@"\n', '/usr/lib/x/shell'],
  ['#!/bin/bash\n# A comment.\nexec /usr/lib/x/shell "$@"', '/usr/lib/x/shell'],
])('a script that only starts a program is replaced by that program: %j', async (text, program) => {
  const { at } = await newMachine()
  expect(await withoutScript(await makeProgram(at('script'), text))).toBe(program)
})

test.each([
  '#!/bin/sh\nexport A=1\n/usr/lib/x/shell "$@"\n',
  '#!/bin/sh\n/usr/lib/x/shell --flag "$@"\n',
  '#!/bin/sh\n$(which shell) "$@"\n',
  '#!/bin/sh\nshell "$@"\n',
  '#!/bin/sh\n/usr/lib/x*/shell "$@"\n',
  '#!/usr/bin/python3\n/usr/lib/x/shell "$@"\n',
  `#!/bin/sh\n${'# long\n'.repeat(2_000)}/usr/lib/x/shell "$@"\n`,
  '',
  '\u007fELF',
])('any other script is started as it is: %j', async (text) => {
  const { at } = await newMachine()
  const path = await makeProgram(at('script'), text)
  const link = at('link')
  await symlink(path, link)
  for (const each of [path, link]) expect(await withoutScript(each)).toBe(each)
})
