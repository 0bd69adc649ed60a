import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../src/client/client.ts'
import { COLOURED, servePages } from '../test/support/camera/pages.ts'
import { askFor } from '../test/support/http/ask-for.ts'
import { type Answer, openReceiver } from '../test/support/http/receiver.ts'
import { webhookTo } from '../test/support/http/webhooks.ts'
import { serveProcess } from '../test/support/processes/process.ts'
import { makeFolder } from '../test/support/processes/workspace.ts'
import { until } from '../test/support/runner/until.ts'
import { compare } from './audit.ts'
import { tell } from './outcome.ts'
import { untilReadiness } from './under-load.ts'
import { useInstallations } from './worlds.ts'

const JUMP_MS = 8 * 24 * 3_600_000
const PAGES = 5
const EVERY_S = 5
/** A lease of a delivery is a minute long, and the second pause half a minute. Busy machines get more. */
const LONGEST_MS = 240_000

const fail: Answer = (to) => void to.writeHead(500).end()
const hang: Answer = () => {}
const take: Answer = (to) => void to.writeHead(204).end()

for (const [world, newInstallation] of useInstallations()) {
  test(`the clock jumps 8 days ahead and, after kill -9, back: webhooks and schedules go on, ${world}`, async ({
    task,
  }) => {
    const site = await servePages((_path, response) => response.end(COLOURED))
    let answer = fail
    const receiver = await openReceiver((...given) => answer(...given))
    onTestFinished(() => receiver.close())
    const taken = new Set<string>()
    const file = join(await makeFolder(), 'clock')
    const setClock = (ahead: number) => writeFile(file, String(ahead))
    const { projectId, env } = await newInstallation({
      CAPTURE_ALLOW: `127.0.0.1:${site.port}`,
      WEBHOOK_ALLOW: `127.0.0.1:${receiver.port}`,
      MIN_SCHEDULE_INTERVAL: '1s',
      CLOCK_FILE: file,
      NODE_OPTIONS: `--import=${new URL('clock-file.ts', import.meta.url)}`,
    })
    await setClock(0)
    const first = await serveProcess(env)
    let client = createClient({ server: first.url })
    const urls = Array.from({ length: PAGES }, (_, index) => ({ url: `${site.url}/${index}`, name: 'x' }))
    const screenshotParameter = { width: 400, height: 300 }
    const events = ['screenshot.done'] as const
    const { webhookId } = await client.createWebhook(
      projectId,
      webhookTo(receiver.url, { events: [...events] }),
    )
    const { scheduleId } = await client.createSchedule(projectId, {
      name: 'Often',
      every: `${EVERY_S}s`,
      request: { screenshotParameter, urls: urls.slice(0, 1) },
    })
    const runs = async () => (await client.getSchedule(projectId, scheduleId)).runs
    const runsOnce = async () => {
      const before = await runs()
      await until(async () => (await runs()) > before, 'the schedule runs')
    }
    const rootId = await askFor(first.url, projectId).post(urls)
    await askFor(first.url, projectId).finished(rootId)
    await runsOnce()
    await until(() => receiver.received.length >= PAGES, 'every page was delivered once')

    // Some attempts are under way when the process is killed, others wait for their next time.
    const before = receiver.received.length
    const [began, runsBefore] = [performance.now(), await runs()]
    answer = (...given) => (receiver.received.length % 2 ? hang : fail)(...given)
    await setClock(JUMP_MS)
    await until(() => receiver.received.length >= before + PAGES, 'the pages are delivered again')
    await runsOnce()
    await runsOnce()
    await untilReadiness({ services: [first] }, 'ok')
    const runsMade = (await runs()) - runsBefore
    const mostRuns = (performance.now() - began) / 1_000 / EVERY_S + 3
    process.kill(first.pid, 'SIGKILL')
    await first.ended
    await setClock(0)

    answer = (to, one, request) => {
      take(to, one, request)
      taken.add(String(one.headers['webhook-id']))
    }
    const restarted = performance.now()
    const last = await serveProcess(env)
    client = createClient({ server: last.url })
    await runsOnce()
    await client.changeSchedule(projectId, scheduleId, {
      name: 'Often',
      every: `${EVERY_S}s`,
      request: { screenshotParameter, urls: urls.slice(0, 1) },
      paused: true,
    })
    const pending = async () => {
      const states = (await Array.fromAsync(client.listDeliveries(projectId, webhookId))).flat()
      const { off } = await client.getWebhook(projectId, webhookId)
      return { off, lost: states.filter(({ state }) => state !== 'delivered').length, all: states.length }
    }
    while ((await pending()).lost > 0 && performance.now() - restarted < LONGEST_MS) await sleep(500)
    const recoverySeconds = (performance.now() - restarted) / 1_000
    await untilReadiness({ services: [last] }, 'ok')
    const { off, lost, all } = await pending()
    process.kill(last.pid, 'SIGTERM')
    await last.ended
    const { found, done } = await compare({ env, projectId }, [rootId])
    tell(task, {
      ...{ world, times: 1, ...found, acknowledged: all, lost: found.lost + lost, recoverySeconds },
      note: `${done} pages done, ${taken.size} events delivered, webhook ${off ? 'switched off' : 'on'}, ${runsMade} runs of the schedule meanwhile`,
    })
    expect(off).toBeUndefined()
    expect(runsMade).toBeLessThan(mostRuns)
  })
}
