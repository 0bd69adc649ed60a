import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Schedule } from '../../src/contract/schedules.ts'
import type { Webhook } from '../../src/contract/webhooks.ts'
import { readStatus, startAccepting } from '../support/http/requests.ts'
import { runProofsheet } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'

const UUID = /^[0-9a-f-]{36}\n$/
const NIGHTLY = ['--cron', '0 2 * * *', '--zone', 'Europe/Berlin']

async function newDesk() {
  const folder = await makeFolder()
  const env = { DATA_DIR: join(folder, 'data') }
  const run = (...args: string[]) => runProofsheet(args, env)
  const done = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args)
    expect([code, code === 0 ? '' : stderr]).toEqual([0, ''])
    return { stdout, stderr }
  }
  await done('project', 'create', '--name', 'Site')
  return { folder, run, done }
}

test('a schedule is created, listed, shown, run, paused, resumed and removed', async () => {
  const { run, done } = await newDesk()
  expect((await done('schedule', 'list')).stderr).toMatch(/no schedules yet. Create one with/)
  const made = await done('schedule', 'create', ...NIGHTLY, '--full-page', 'https://example.com/')
  expect(made.stdout).toMatch(UUID)
  const scheduleId = made.stdout.trim()
  expect(made.stderr).toMatch(
    /^Schedule "example.com" is ready. Its next times, in the time zone Europe\/Berlin:\n( {2}\w{3} \d{4}-\d\d-\d\d 02:00\n){5}$/,
  )
  await done('template', 'create', '--name', 'All', 'https://example.com/')
  await done('schedule', 'create', '--every', '6h', '--template', 'All', '--overlap', 'run')
  const rootId = (await done('schedule', 'run', 'All')).stdout
  expect(rootId).toMatch(UUID)
  await done('schedule', 'pause', 'example.com')
  const [, first, second, ...rest] = (await done('schedule', 'list')).stdout.split('\n')
  expect(first).toMatch(/ paused +0 2 \* \* \* Europe\/Berlin +- +example\.com$/)
  expect(second).toMatch(/ \w{3} \S+ \d\d:\d\d(:\d\d)? +every 6h +2\d{3}-\S+ \S+ +All$/)
  expect(rest).toEqual([''])
  expect((await done('schedule', 'resume', scheduleId)).stderr).toMatch(
    /is not paused. Its next times.*:00\n$/s,
  )

  const shown = await done('schedule', 'show', 'example.com')
  const { request, next, ...schedule } = JSON.parse(shown.stdout) as Schedule
  expect(schedule).toMatchObject({
    scheduleId,
    cron: '0 2 * * *',
    timezone: 'Europe/Berlin',
    overlap: 'skip',
  })
  expect(schedule).toMatchObject({ paused: false, runs: 0 })
  expect(request).toMatchObject({ screenshotParameter: { fullPage: true } })
  expect(shown.stderr).toBe(made.stderr.replace(/^.*? ready\. /, ''))
  expect(next).toHaveLength(5)

  const refused = await run('schedule', 'remove', 'example.com')
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/nothing was removed/)])
  expect((await done('schedule', 'remove', 'example.com', '--yes')).stderr).toMatch(/is removed/)
  const gone = await run('schedule', 'show', scheduleId)
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringMatching(/there is no schedule .*schedule list/)])
})

test('a webhook is created, tested, replayed, given another secret and removed', async () => {
  const { folder, run, done } = await newDesk()
  expect((await done('webhook', 'list')).stderr).toMatch(/no webhooks yet. Create one with/)
  await writeFile(join(folder, 'address'), 'https://example.com/hooks\n')
  const made = await done('webhook', 'create', '--url', `@${join(folder, 'address')}`)
  expect(made.stdout).toMatch(/^whsec_\S{44}\n$/)
  expect(made.stderr).toMatch(/"example.com" is ready.*shown only once.*\n.*webhook test/)
  const shown = JSON.parse((await done('webhook', 'show', 'example.com')).stdout) as Webhook
  const { webhookId } = shown
  expect(shown).toMatchObject({ name: 'example.com', events: ['root.finished'], format: 'standard' })
  expect(shown).not.toHaveProperty('secret')

  const tested = await done('webhook', 'test', webhookId)
  expect(tested.stdout).toMatch(UUID)
  expect(tested.stderr).toMatch(/The service .* sends/)
  const deliveryId = tested.stdout.trim()
  const listed = await done('webhook', 'deliveries', webhookId, '--state', 'pending')
  expect(listed.stdout.split('\n')[1]).toMatch(new RegExp(`^${deliveryId} .* webhook\\.test +pending +0 +-$`))
  expect((await done('webhook', 'replay', webhookId, deliveryId)).stderr).toMatch(/is due again/)
  expect((await done('webhook', 'replay', webhookId, '--from', '2026-01-01')).stderr).toMatch(/due again/)
  const [, row] = (await done('webhook', 'list')).stdout.split('\n')
  expect(row).toMatch(/ on +1 +root\.finished +example\.com +https:\/\/example\.com\/hooks$/)
  const rotated = await done('webhook', 'rotate', webhookId)
  expect(rotated.stdout).toMatch(/^whsec_/)
  expect(rotated.stdout).not.toBe(made.stdout)
  const other = await run('webhook', 'replay', webhookId, webhookId)
  expect([other.code, other.stderr]).toEqual([1, expect.stringMatching(/there is no delivery/)])
  expect((await done('webhook', 'remove', webhookId, '--yes')).stderr).toMatch(/is removed/)
})

test('pages are captured later: the root exists at once, and its pages wait for their time', async () => {
  const { done } = await newDesk()
  const { stdout, stderr } = await done('capture', '--at', '2099-01-31T02:00Z', 'https://example.com/')
  expect(stdout).toMatch(UUID)
  expect(stderr).toMatch(/will be captured at 2099-01-31 02:00 UTC, by a service/)
  expect((await done('project', 'list')).stdout).toMatch(/ 1 +0 +Site\n$/)

  const service = await startAccepting()
  const there = await done('capture', '--server', service.url, '--in', '2h', 'https://example.com/')
  expect(await readStatus(service, there.stdout.trim())).toMatchObject({
    ...{ state: 'scheduled', scheduled: service.now + 2 * 3_600_000 },
  })
})

test('mistakes are reported with their option; the exit code is 2', async () => {
  const { folder, run } = await newDesk()
  const file = join(folder, 'requests.json')
  await writeFile(file, JSON.stringify([{ scheduledTs: 4_000_000_000_000 }, {}]))
  const page = 'https://example.com/'
  for (const [args, message] of [
    [['schedule', 'create', page], /needs a time: give --cron/],
    [
      ['schedule', 'create', '--cron', '0 25 * * *', '--zone', 'Berlin', 'ftp://x/'],
      /--zone .*did you mean Europe\/Berlin\?\n--cron must be .*\nftp:\/\/x\/ must be/,
    ],
    [['schedule', 'create', '--every', '6h', '--template', 'x', page], /--template already has pages/],
    [['webhook', 'create', '--url', 'http://127.0.0.1:9000/'], /--url is .*WEBHOOK_ALLOW=127\.0\.0\.1:9000/],
    [['webhook', 'replay', 'x'], /give the id of a delivery, or --from/],
    [['capture', '--in', '2h', '--out', 'shots', page], /--out and --json cannot be used with a later time/],
    [['capture', '--at', 'tomorrow', page], /It must be a time, such as "2027-01-31 02:00"/],
    [['capture', '--from', file], /some requests are for now and some for later/],
  ] as const) {
    const { code, stderr, stdout } = await run(...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(message)
  }
})
