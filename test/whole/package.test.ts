import { execFileSync } from 'node:child_process'
import { cp, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { RootResult } from '../../src/contract/results.ts'
import { start } from '../support/process.ts'
import { BROWSER_ENV } from '../support/test-browser.ts'
import { makeFolder } from '../support/workspace.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const PARTS = ['src', 'bin', 'gallery', 'package.json', 'tsconfig.json', 'tsconfig.build.json', 'README.md']

test('the package as it would be published: built, with declarations, and its command works', async () => {
  const folder = await makeFolder()
  const work = join(folder, 'work')
  for (const part of PARTS) {
    await cp(join(ROOT, part), join(work, part), { recursive: true })
  }
  await symlink(join(ROOT, 'node_modules'), join(work, 'node_modules'))
  execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: work, stdio: 'pipe' })
  const [tarball = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  execFileSync('tar', ['-xzf', tarball], { cwd: folder })
  const published = join(folder, 'package')
  expect((await readdir(published)).sort()).toEqual(['README.md', 'bin', 'dist', 'package.json'])
  expect(await readdir(join(published, 'dist'))).toEqual(
    expect.arrayContaining(['index.js', 'index.d.ts', 'main.js']),
  )

  // As an installed package, below node_modules, where Node strips no types.
  const installed = join(folder, 'node_modules', 'proofsheet')
  await cp(published, installed, { recursive: true })
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name)).catch(() => {})
  }
  const service = start(process.execPath, [join(installed, 'bin', 'proofsheet.js'), 'serve', '--demo'], {
    env: { ...BROWSER_ENV, PORT: '0', DATA_DIR: join(folder, 'data') },
  })
  const [, url = ''] = await service.waitFor(/curl (http\S+)/)
  expect(await (await fetch(new URL('/', url))).text()).toContain('<title>proofsheet</title>')
  const answer = await fetch(url)
  expect(answer.status).toBe(200)
  const roots = (await answer.json()) as RootResult[]

  // What a program that asks it imports, with nothing but the types of a browser.
  const program = `import { createClient, type RootResult } from 'proofsheet/client'
    const [, server = '', project = ''] = /^(.*)\\/api\\/projects\\/([^/]+)/.exec('${url}') ?? []
    const roots: RootResult[] = []
    for await (const page of createClient({ server }).listRoots(project, { limit: 2 })) roots.push(...page)
    console.log(roots.map(({ rootId }) => rootId).join())`
  await writeFile(join(folder, 'program.mts'), program)
  const options =
    '--ignoreConfig --noEmit --strict --module nodenext --target es2024 --lib esnext,dom --types'
  const check = [...options.split(' '), '', 'program.mts']
  execFileSync(join(ROOT, 'node_modules', '.bin', 'tsc'), check, { cwd: folder, stdio: 'inherit' })
  const output = execFileSync(process.execPath, ['program.mts'], { cwd: folder, encoding: 'utf8' })
  expect(output.trim()).toBe(roots.map(({ rootId }) => rootId).join())
  service.child.kill('SIGTERM')
  expect((await service.ended).code).toBe(0)
})

test('an old Node is told what is missing', async () => {
  const script = `Object.defineProperty(process.versions, 'node', { value: '20.1.0' }); await import(${JSON.stringify(join(ROOT, 'bin', 'proofsheet.js'))})`
  const old = start(process.execPath, ['--input-type=module', '-e', script])
  expect((await old.ended).code).toBe(1)
  expect(old.stderr()).toMatch(/^proofsheet needs Node 24 or newer/)
})
