import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Template } from '../../src/contract/templates.ts'
import { runProofsheet } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'

const UUID = /^[0-9a-f-]{36}\n$/

async function newDesk() {
  const folder = await makeFolder()
  const env = { DATA_DIR: join(folder, 'data') }
  const run = (...args: string[]) => runProofsheet(args, env)
  const template = (...args: string[]) => run('template', ...args)
  await run('project', 'create', '--name', 'Site')
  return { folder, template }
}

test('a template is created, listed, shown, run and removed', async () => {
  const { folder, template } = await newDesk()
  expect((await template('list')).stderr).toMatch(/no templates yet. Create one with/)
  const made = await template(
    'create',
    '--name',
    'Nightly',
    '--full-page',
    '--tag',
    'x',
    'https://example.com/',
  )
  expect(made.stdout).toMatch(UUID)
  expect(made.stderr).toMatch(/"Nightly" is ready/)
  const templateId = made.stdout.trim()
  const run = await template('run', 'Nightly')
  expect([run.code, run.stderr]).toEqual([0, ''])
  expect(run.stdout).toMatch(UUID)
  expect((await template('list')).stdout).toMatch(
    new RegExp(`${templateId} +[-0-9]+ [:0-9]+ +2\\d{3}-.* Nightly\n$`),
  )
  const shown = await template('show', templateId)
  const printed = JSON.parse(shown.stdout) as Template
  expect(printed).toMatchObject({
    ...{ templateId, name: 'Nightly' },
    screenshotParameter: { width: 1200, height: 720, fullPage: true, tags: ['x'] },
    urls: [{ url: 'https://example.com/', name: 'example.com' }],
  })
  const file = join(folder, 'template.json')
  await writeFile(file, shown.stdout)
  const again = (await template('create', '--from', file)).stdout.trim()
  expect(again).not.toBe(templateId)
  expect((await template('run', 'Nightly')).stderr).toMatch(/several templates are called Nightly/)
  const refused = await template('remove', again)
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/nothing was removed/)])
  const removed = await template('remove', again, '--yes')
  expect([removed.code, removed.stderr]).toEqual([0, expect.stringMatching(/is removed/)])
  const gone = await template('remove', again)
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringMatching(/there is no template/)])
  expect((await template('run', 'Weekly')).stderr).toMatch(/there is no template Weekly/)
})

test('mistakes are reported with their place; the exit code is 2', async () => {
  const { folder, template } = await newDesk()
  const file = join(folder, 'request.json')
  await writeFile(
    file,
    JSON.stringify({ name: 'x', scheduledTs: 1, screenshotParameter: { width: 1, height: 1 }, urls: [] }),
  )
  for (const [args, message] of [
    [['create', 'https://example.com/'], /needs a name: --name/],
    [['create', '--name', 'x', 'ftp://example.com/'], /ftp:\/\/example\.com\/ must be an address/],
    [['create', '--from', file], /#\/scheduledTs is not known.*\n.*#\/urls/],
    [['run', 'x', '--json'], /need --wait/],
    [['create'], /there is no address/],
  ] as const) {
    const { code, stderr, stdout } = await template(...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(message)
  }
})
