import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { makeFolder } from '../support/processes/workspace.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const ENTRY = join(ROOT, 'src/client/client.ts')

test('the client adds little to a web page: no schemas, and no code of the service', async () => {
  const bundle = await rolldown({ input: ENTRY, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'es', minify: true })
  expect(output).toHaveLength(1)
  const [{ code, modules, imports }] = output
  expect(imports).toEqual([])
  const others = Object.keys(modules)
    .map((path) => relative(ROOT, path))
    .filter((path) => !path.startsWith('src/client/'))
  expect(others.sort()).toEqual(['ask-again', 'paths', 'states'].map((name) => `src/contract/${name}.ts`))
  expect(gzipSync(code).length).toBeLessThan(5_300)
})

/** `npm run check` compiles them with each set alone: in the gallery and in the service. */
test('its types compile with the types of browsers and Node together', async () => {
  const config = join(await makeFolder(), 'both.json')
  const compilerOptions = {
    ...{ strict: true, noEmit: true, target: 'ES2024', module: 'ESNext', moduleResolution: 'bundler' },
    ...{ allowImportingTsExtensions: true, verbatimModuleSyntax: true, exactOptionalPropertyTypes: true },
    ...{ lib: ['ESNext', 'DOM', 'DOM.AsyncIterable'], types: ['node'] },
    typeRoots: [join(ROOT, 'node_modules/@types')],
  }
  await writeFile(config, JSON.stringify({ compilerOptions, files: [ENTRY] }))
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', config, '--singleThreaded'], { stdio: 'inherit' })
})
