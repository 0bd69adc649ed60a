// @module-tag browser

import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BROWSER_ENV } from '../support/browser/test-browser.ts'
import { COLOURED, servePages } from '../support/camera/pages.ts'
import { askFor } from '../support/http/ask-for.ts'
import { memoryOf } from '../support/processes/memory.ts'
import { proofsheet, serveProcess } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { rounds } from '../support/runner/rounds.ts'

const WARM_UP = 20
const CAPTURES = rounds(12)
const MOST_GROWTH = 30 * 1024 * 1024

/** The processes started by this one, and their own, with their state: `Z` is a zombie. */
async function descendantsOf(pid: number): Promise<{ pid: number; state: string }[]> {
  const all = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => {
        const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
        const [state = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        return { pid: Number(name), state, parent: Number(parent) }
      }),
  )
  const below = (parent: number): typeof all =>
    all.filter((each) => each.parent === parent).flatMap((each) => [each, ...below(each.pid)])
  return below(pid)
}

/** Except for files of Node itself. */
async function leftIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name !== 'node-compile-cache')
}

test(
  `${CAPTURES} captures leave no zombie, no profile and no memory behind`,
  async () => {
    const site = await servePages((_path, response) => response.end(COLOURED))
    const folder = await makeFolder()
    // A folder of its own, so that any remains are its own.
    const temporary = await makeFolder()
    const env = {
      ...BROWSER_ENV,
      DATA_DIR: join(folder, 'data'),
      TMPDIR: temporary,
      CAPTURE_ALLOW: `127.0.0.1:${site.port}`,
      MAX_URLS_PER_REQUEST: String(Math.max(WARM_UP, CAPTURES)),
    }
    const projectId = randomUUID()
    await proofsheet(['project', 'create', '--id', projectId], env).ended
    const service = await serveProcess(env)
    const client = askFor(service.url, projectId)
    const capture = async (count: number) => {
      const urls = Array.from({ length: count }, (_, index) => ({ url: `${site.url}/${index}`, name: 'x' }))
      expect(await client.finished(await client.post(urls))).toMatchObject({ counts: { done: count } })
    }
    // Memory used by the first captures, and V8's young heap, stays.
    await capture(WARM_UP)
    const began = memoryOf(service.pid)
    await capture(CAPTURES)
    const ended = memoryOf(service.pid)
    expect(ended.now - began.now).toBeLessThan(MOST_GROWTH)
    const processes = await descendantsOf(service.pid)
    // A process that has just ended may not be reaped yet; one that was never reaped stays forever.
    const zombies = processes.filter(({ state }) => state === 'Z').map(({ pid }) => pid)
    await expect
      .poll(async () => (await descendantsOf(service.pid)).filter(({ pid }) => zombies.includes(pid)))
      .toEqual([])
    // One browser, and at most one that is about to be replaced.
    expect((await leftIn(temporary)).length).toBeLessThanOrEqual(2)
    process.kill(service.pid, 'SIGTERM')
    expect(await service.ended).toEqual({ code: 0, signal: null })
    expect(await leftIn(temporary)).toEqual([])
    for (const { pid } of processes) {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
      // Processes of its browsers that process 1 must reap have ended, too.
      expect(stat).not.toMatch(/\(chrom[^)]*\) [^Z]/)
    }
  },
  rounds(300_000),
)
