import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { COLOURED, servePages } from '../test/support/camera/pages.ts'
import { askFor } from '../test/support/http/ask-for.ts'
import { serveProcess } from '../test/support/processes/process.ts'
import { makeFolder } from '../test/support/processes/workspace.ts'
import { compare } from './audit.ts'
import { tell } from './outcome.ts'
import { useInstallations } from './worlds.ts'

const HOUR_MS = 3_600_000
const JUMPS = [
  ['2 h back', -2 * HOUR_MS],
  ['2 h ahead', 2 * HOUR_MS],
  ['8 days ahead', 8 * 24 * HOUR_MS],
] as const
const PAGES = 12
/** When the clock is right again, the longest time without progress. */
const STUCK_MS = 60_000

for (const [world, newInstallation] of useInstallations()) {
  for (const [what, jump] of JUMPS) {
    test(`the clock jumps ${what} in the middle, kill -9, and is right again, ${world}`, async ({ task }) => {
      const site = await servePages((_path, response) => void setTimeout(() => response.end(COLOURED), 400))
      const file = join(await makeFolder(), 'clock')
      const setClock = (ahead: number) => writeFile(file, String(ahead))
      const installation = await newInstallation({
        CAPTURE_ALLOW: `127.0.0.1:${site.port}`,
        CAPTURE_CONCURRENCY: '2',
        RATE_LIMIT: '10000/1m',
        CLOCK_FILE: file,
        NODE_OPTIONS: `--import=${new URL('clock-file.ts', import.meta.url)}`,
      })
      const rootIds: string[] = []
      const ask = async (url: string) => {
        const urls = Array.from({ length: PAGES }, (_, index) => ({ url: `${site.url}/${index}`, name: 'x' }))
        rootIds.push(await askFor(url, installation.projectId).post(urls))
        await sleep(1_000)
      }
      const kill = async ({ pid, ended }: Awaited<ReturnType<typeof serveProcess>>) => {
        process.kill(pid, 'SIGKILL')
        await ended
      }
      await setClock(0)
      const first = await serveProcess(installation.env)
      await ask(first.url)
      await setClock(jump)
      await ask(first.url)
      await kill(first)
      const second = await serveProcess(installation.env)
      await ask(second.url)
      await kill(second)
      await setClock(0)

      const began = performance.now()
      const last = await serveProcess(installation.env)
      await ask(last.url)
      const client = askFor(last.url, installation.projectId)
      // While pages wait, one of them must end within this time.
      const countOf = async () => {
        const all = await Promise.all(rootIds.map((id) => client.status(id)))
        return {
          left: all.reduce((sum, { counts }) => sum + counts.queued + counts.running, 0),
          blamed: all.flatMap(({ urls }) => urls).filter(({ attempts }) => attempts > 1).length,
        }
      }
      let [left, since, longest] = [Number.POSITIVE_INFINITY, performance.now(), 0]
      while (left > 0) {
        const now = await countOf()
        if (now.left < left) since = performance.now()
        left = now.left
        longest = Math.max(longest, performance.now() - since)
        await sleep(200)
      }
      const recoverySeconds = (performance.now() - began) / 1_000
      const { blamed } = await countOf()
      process.kill(last.pid, 'SIGTERM')
      await last.ended
      const { found, done } = await compare(installation, rootIds)
      tell(task, {
        world,
        times: 1,
        ...found,
        failedPages: found.failedPages + blamed,
        recoverySeconds,
        note: `${done} pages done; nothing stood still for more than ${(longest / 1_000).toFixed(0)} s`,
      })
      expect(longest).toBeLessThan(STUCK_MS)
    })
  }
}
