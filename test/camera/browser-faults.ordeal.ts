// @module-tag browser

import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { FoundBrowser } from '../../src/camera/browser/browser.ts'
import { findBrowsers as findAllBrowsers } from '../../src/camera/browser/find-browser.ts'
import { BROWSER_ENV, findTestBrowser } from '../support/browser/test-browser.ts'
import {
  type CameraRules,
  findBrowsers,
  paint,
  processesOf,
  profilesOf,
  serveSite,
} from '../support/camera/camera.ts'
import { type RunningProcess, start } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { until } from '../support/runner/until.ts'
import { FOREVER, GREEN, look, useSite } from './use-site.ts'

const { site, camera, at, count, openOwnCamera } = useSite()

// This browser runs beside those that fail.
beforeAll(() => camera.ready())

describe('a browser fault', () => {
  /** A camera of its own, with a page under way that never ends. */
  async function whileShooting(rules: CameraRules = {}) {
    const before = new Set(findBrowsers())
    const own = openOwnCamera(rules)
    const asked = count('/never')
    const shot = own.take(at('/unfinished'), { loadingTime: FOREVER }).then(
      () => 'taken',
      (error) => error,
    )
    await until(() => count('/never') > asked, 'the page asks')
    const browser = findBrowsers().find((pid) => !before.has(pid)) ?? Number.NaN
    return { own, shot, browser }
  }

  test('a page that keeps the browser busy fails with `timeout` within its deadline, and the browser is free again', async () => {
    const busy = await serveSite({
      '/': paint(GREEN, '<script>for (;;) {}</script>'),
      '/green': paint(GREEN),
    })
    onTestFinished(() => busy.close())
    const before = new Set(findBrowsers())
    const own = openOwnCamera({ allow: `busy.test:${busy.port}`, graceMs: 1_500 })
    await own.take(`http://busy.test:${busy.port}/green`)
    const browser = findBrowsers().find((pid) => !before.has(pid)) ?? Number.NaN
    // The page never releases the browser: without the deadline, this would hang.
    await expect(own.take(`http://busy.test:${busy.port}/`, { loadingTime: 500 })).rejects.toMatchObject({
      ...{ name: 'CaptureFailure', reason: 'timeout' },
    })
    // Work that continues now would continue forever.
    const ticks = () =>
      processesOf(browser)
        .filter(({ type }) => type === 'renderer')
        .map(({ pid }) => pid)
    await until(() => ticks().every((pid) => !isBusy(pid)), 'no renderer is busy')
    expect((await look(own.take(`http://busy.test:${busy.port}/green`))).at(0, 0)).toBe(GREEN)
  })

  test('another page does not wait for a busy browser: it fails with `timeout` when its loading time is over', async () => {
    const busy = await serveSite({
      '/': paint(GREEN, '<script>setTimeout(() => { for (;;) {} }, 100)</script>'),
    })
    onTestFinished(() => busy.close())
    // Without a check whether it answers, it would hold its slot for that long.
    const own = openOwnCamera({ allow: `busy.test:${busy.port}`, graceMs: FOREVER, answerMs: 500 })
    const shot = own.take(`http://busy.test:${busy.port}/`, { loadingTime: 500 })
    await expect(shot).rejects.toMatchObject({
      ...{ name: 'CaptureFailure', reason: 'timeout' },
      message: expect.stringContaining('did not answer for 500 ms'),
    })
  })

  test('a page whose renderer dies fails with `crashed`, and the browser keeps running', async () => {
    const { own, shot, browser } = await whileShooting()
    const renderers = processesOf(browser).filter(({ type }) => type === 'renderer')
    expect(renderers.length).toBeGreaterThan(0)
    for (const { pid } of renderers) process.kill(pid, 'SIGKILL')
    expect(await shot).toMatchObject({ name: 'CaptureFailure', reason: 'crashed' })
    expect((await look(own.take(at('/green')))).at(0, 0)).toBe(GREEN)
  })

  test('a page whose browser is killed fails with `crashed`; a new browser takes the next page, and the old one leaves nothing behind', async () => {
    const { own, shot, browser } = await whileShooting()
    process.kill(browser, 'SIGKILL')
    expect(await shot).toMatchObject({ name: 'CaptureFailure', reason: 'crashed' })
    expect((await look(own.take(at('/green')))).at(0, 0)).toBe(GREEN)
    await until(() => processesOf(browser).length === 0, 'its processes are gone')
    const others = findBrowsers()
    expect(others).not.toContain(browser)
    await until(() => profilesOf().length === others.length, 'one profile for each browser')
  })

  test('a browser that stops answering is ended with the camera', async () => {
    const { own, shot, browser } = await whileShooting()
    process.kill(-browser, 'SIGSTOP')
    await own.close()
    await shot
    await until(() => processesOf(browser).length === 0, 'its processes are gone')
    expect(own.gates.size).toBe(0)
  })

  test('a browser that was started by a script and stops answering is killed together with the script', async () => {
    const found = await findTestBrowser()
    const path = join(await makeFolder(), 'browser')
    // Like Debian's script, with one more line, so that it is not recognised as a mere starter.
    await writeFile(path, `#!/bin/sh\nA=1\n"${found.path}" "$@"\n`, { mode: 0o755 })
    const { own, shot, browser } = await whileShooting({ find: async () => ({ ...found, path }) })
    expect(processesOf(browser).filter(({ type }) => type === 'browser')).toHaveLength(2)
    process.kill(-browser, 'SIGSTOP')
    await own.close()
    await shot
    await until(() => processesOf(browser).length === 0, 'its processes are gone')
  })

  test('closing the camera during a capture leaves no process, zombie, profile or gate behind', async () => {
    const profiles = profilesOf().length
    const { own, shot, browser } = await whileShooting({ concurrency: 2 })
    const others = [1, 2, 3].map(() =>
      own.take(at('/unfinished'), { loadingTime: FOREVER }).catch(() => 'ended'),
    )
    await own.close()
    // Killed processes end a little later, and orphans must be reaped by the first process of the machine.
    await until(() => processesOf(browser).length === 0, 'nothing is left')
    expect(profilesOf().length).toBe(profiles)
    await shot
    expect(await Promise.all(others)).toEqual(['ended', 'ended', 'ended'])
    await expect(own.take(at('/green'))).rejects.toThrow('closed')
    await sleep(300)
    expect([own.gates.size, profilesOf().length]).toEqual([0, profiles])
  })

  test('closing the camera while the browser starts leaves nothing behind', async () => {
    // Browsers of earlier tests may end meanwhile.
    const [profiles, browsers] = [new Set(profilesOf()), new Set(findBrowsers())]
    const newProfiles = () => profilesOf().filter((name) => !profiles.has(name))
    const own = openOwnCamera()
    const shot = own.take(at('/green')).catch(() => 'ended')
    await until(() => newProfiles().length > 0, 'its profile is there')
    await own.close()
    expect(await shot).toBe('ended')
    expect([newProfiles(), findBrowsers().filter((pid) => !browsers.has(pid))]).toEqual([[], []])
  })

  test('a browser ends when its process is killed, and the next process sweeps its profile', async () => {
    const parent = run(`
      const own = openTestCamera({ allow: 'site.test:${site.port}' })
      own.take('${at('/unfinished')}', { loadingTime: ${FOREVER} })`)
    const asked = count('/never')
    await Promise.race([
      until(() => count('/never') > asked, 'the page asks'),
      parent.ended.then(() => Promise.reject(new Error(parent.stderr()))),
    ])
    const [browser = Number.NaN] = findBrowsers(parent.pid)
    expect([processesOf(browser).length > 1, profilesOf(parent.pid).length]).toEqual([true, 1])
    parent.child.kill('SIGKILL')
    await parent.ended
    await until(() => processesOf(browser).every(({ zombie }) => zombie), 'its processes are gone')
    expect(profilesOf(parent.pid)).toHaveLength(1)
    await openOwnCamera().ready()
    expect(profilesOf(parent.pid)).toEqual([])
    // Profiles of living processes stay.
    expect((await look(camera.take(at('/green')))).at(0, 0)).toBe(GREEN)
  })

  test('browsers that start at the same time do not take each other’s folders', async () => {
    const before = process.env['TMPDIR']
    const cameras = [1, 2, 3].map(() => openOwnCamera())
    const shots = await Promise.all(cameras.map((own) => own.take(at('/green'))))
    expect(shots).toHaveLength(3)
    expect(process.env['TMPDIR']).toBe(before)
  })
})

/** Whether it uses the processor at the moment. */
function isBusy(pid: number): boolean {
  const used = () => processorTime(pid)
  const before = used()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
  return used() - before > 5
}

function processorTime(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return Number(fields[11]) + Number(fields[12])
  } catch {
    return 0
  }
}

/** A process of its own with the camera of these tests. */
function run(script: string, env: Record<string, string> = {}): RunningProcess {
  const support = new URL('../support/camera/camera.ts', import.meta.url)
  const code = `import { openTestCamera } from '${support}'\n${script}`
  // Profiles of its browsers are in the same folder as those of this process.
  const own = { ...BROWSER_ENV, TMPDIR: tmpdir(), ...env }
  return start(process.execPath, ['--input-type=module', '-e', code], { env: own })
}

describe('without a browser', () => {
  const broken = async (path: string): Promise<FoundBrowser> => {
    for await (const found of findAllBrowsers({ chromiumPath: path, dataDir: '/nowhere', env: {} }))
      return found
    throw new Error(`${path} is no program`)
  }

  test.each([
    ['/bin/true', /\/bin\/true does not start/],
    ['/bin/false', /\/bin\/false does not start/],
  ])('CHROMIUM_PATH=%s is reported at once', async (path, words) => {
    const profiles = profilesOf()
    const own = openOwnCamera({ find: () => broken(path) })
    const error = await own.ready().catch((error) => error)
    expect(error).toMatchObject({ name: 'AppError', code: 'no_browser' })
    expect(error.message).toMatch(words)
    expect(error.message).toMatch(/^.{20,300}$/)
    await expect(own.take(at('/green'))).rejects.toMatchObject({ code: 'no_browser' })
    expect(profilesOf()).toEqual(profiles)
  })

  test('a browser that does not start does not keep the next one from starting', async () => {
    const own = openOwnCamera({ find: async () => [await broken('/bin/false'), await findTestBrowser()] })
    expect((await look(own.take(at('/green')))).at(0, 0)).toBe(GREEN)
  })

  test('a browser that is installed later is found', async () => {
    let there = false
    const own = openOwnCamera({ find: () => (there ? findTestBrowser() : broken('/bin/false')) })
    await expect(own.ready()).rejects.toMatchObject({ code: 'no_browser' })
    there = true
    expect((await look(own.take(at('/green')))).at(0, 0)).toBe(GREEN)
  })
})
