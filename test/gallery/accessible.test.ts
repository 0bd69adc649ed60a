// @module-tag browser

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { MARK_NAMES } from '../../src/contract/seen.ts'
import { addressOf, hangRoots, startHung } from '../support/gallery/hang.ts'
import { hangCaptured } from '../support/gallery/hang-captured.ts'
import { hangTemplate } from '../support/gallery/hang-template.ts'
import { useVisitors } from '../support/gallery/visitor.ts'
import { FAILURE, newRequest } from '../support/store/captures.ts'
import { makeKey } from '../support/store/results.ts'

const visit = useVisitors()
const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Violations of axe rules: all of them in light colours, those about colours in dark ones, too. */
async function violations(page: Page): Promise<string[]> {
  // Past the content policy of the page, which would block it.
  const session = await page.context().newCDPSession(page)
  const run = async (expression: string) => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value
  }
  const check = (options: string) =>
    run(
      `axe.run(document, ${options}).then(({ violations, passes }) => ({
        passes: passes.length,
        violations: violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html.slice(0, 200) + ' ' + (node.any[0]?.message ?? ''))),
      }))`,
    )
  await run(`${AXE}; undefined`)
  const light = await check("{ resultTypes: ['violations'] }")
  expect(light.passes).toBeGreaterThan(10)
  // Otherwise colours would still be changing.
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await movementsEnd(page)
  const dark = await check(
    "{ runOnly: ['color-contrast', 'link-in-text-block'], resultTypes: ['violations'] }",
  )
  expect(dark.passes).toBeGreaterThan(0)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' })
  return [...light.violations, ...dark.violations.map((violation: string) => `in dark colours, ${violation}`)]
}

async function movementsEnd(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ending = document.getAnimations().filter((each) => each.effect?.getTiming().iterations !== Infinity)
    // An aborted animation has ended, too.
    await Promise.allSettled(ending.map((each) => each.finished))
  })
}

test('axe finds no mistake in any view, light or dark', async () => {
  const service = await startHung()
  const { url, projectId, rootIds } = service
  const { captures } = service.store
  const request = newRequest(projectId, { created: service.now, options: { tags: ['release'] }, pages: 3 })
  await captures.accept(request)
  const task = await captures.takeNext({ now: service.now, leaseMs: 60_000 })
  if (task) await captures.finish(task, { reason: 'dns', detail: 'There is no such host.' }, service.now)
  const marks = [...MARK_NAMES]
  const notes = [{ note: 'hide' as const, detail: 'No element matches #ad.' }]
  const odd = await hangCaptured(service, projectId, {
    created: service.now,
    pages: [
      {
        name: 'Odd',
        url: addressOf('Home'),
        seen: { marks, notes, status: 404, url: 'https://login.example/' },
      },
      { name: 'Small', ownOptions: { width: 300, height: 200 } },
      { name: 'Gone', failed: FAILURE },
    ],
  })
  const templateId = await hangTemplate(service, projectId)
  await hangCaptured(service, projectId, {
    ...{ created: service.now, origin: { templateId } },
    pages: [{ name: 'Home' }],
  })
  const { page, complaints } = await visit(url)
  const at = `${url}/projects/${projectId}`
  const views: [string, string][] = [
    [at, '.failed-pages'],
    [`${at}/roots/${odd}`, '.card .marks'],
    [`${at}?q=nothing-like-it`, '.empty'],
    [`${at}/roots/${rootIds[0]}`, '.preview.loaded'],
    [`${at}/roots/${request.rootId}`, '.failures'],
    [`${at}/pages`, '.preview.loaded'],
    [`${at}/pages/history?url=${encodeURIComponent(addressOf('Home'))}`, '.timeline .marks'],
    [`${at}/pages/history?url=${encodeURIComponent(addressOf('Home'))}&width=600`, '.slider'],
    [
      `${at}/pages/history?url=${encodeURIComponent(addressOf('Home'))}&series=width-600&compare=difference`,
      'canvas',
    ],
    [
      `${at}/pages/history?url=${encodeURIComponent(addressOf('Home'))}&series=width-600&compare=beside`,
      '.beside',
    ],
    [`${at}/capture`, 'textarea'],
    [`${at}/templates`, '.template .preview.loaded'],
    [`${at}/templates/new`, '#templateName'],
    [`${at}/nowhere/at/all`, '.empty'],
  ]
  for (const [address, ready] of views) {
    await page.goto(address)
    await page.locator(ready).first().waitFor()
    await movementsEnd(page)
    expect([address, await violations(page)]).toEqual([address, []])
  }
  await page.goto(`${at}/capture`)
  await page.getByRole('button', { name: 'Capture', exact: true }).click()
  await page.getByText('The list must be').waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  for (const name of ['Add a click', 'Add a header', 'Add: Shadow', 'Add: Blur']) {
    await page.getByRole('button', { name }).click()
  }
  await page.getByRole('checkbox', { name: /Other/ }).check()
  expect(await violations(page)).toEqual([])
  await page.goto(`${at}?state=partial&mark=error&from=2026-03-01&to=2026-03-01`)
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.locator('.root').waitFor()
  expect(await violations(page)).toEqual([])
  for (const rootId of [rootIds[0], odd]) {
    await page.goto(`${at}/roots/${rootId}`)
    await page.locator('.open').first().click()
    await page.locator('.pswp__caption').waitFor()
    await page.locator('.pswp--ui-visible').waitFor()
    await movementsEnd(page)
    expect(await violations(page)).toEqual([])
  }
  await hangRoots(service, { name: 'Another', now: service.now + 1, roots: 1 })
  await page.goto(url)
  await page.locator('.project-card').first().waitFor()
  expect(await violations(page)).toEqual([])
  expect(complaints.filter((text) => !text.includes('400 (Bad Request)'))).toEqual([])
})

test('axe finds no mistake in schedules, webhooks and administration', async () => {
  const service = await startHung()
  const { url, projectId } = service
  service.now = Date.now()
  const client = createClient({ server: url })
  const at = `${url}/projects/${projectId}`
  const templateId = await hangTemplate(service, projectId)
  const { scheduleId } = await client.createSchedule(projectId, {
    name: 'Nightly',
    templateId,
    cron: '0 2 * * *',
  })
  await client.createSchedule(projectId, { name: 'Paused', templateId, every: '6h', paused: true })
  await client.runSchedule(projectId, scheduleId)
  const { jobId } = await client.requestScreenshots(projectId, {
    screenshotParameter: { width: 800, height: 600 },
    urls: [{ url: 'https://site.example/', name: 'Home' }],
    scheduledTs: service.now + 3_600_000,
  })
  // No server is there: the delivery fails.
  const webhook = { name: 'Builds', url: 'https://hooks.example/', events: ['root.finished' as const] }
  const { webhookId } = await client.createWebhook(projectId, webhook)
  await client.testWebhook(projectId, webhookId)
  await client.createKey({ scope: 'read', projectId })
  const { page } = await visit(at)
  const views: [string, string, string][] = [
    [at, '.next-runs', 'Cancel'],
    [`${at}/roots/${jobId}`, '.scheduled-for', 'Cancel'],
    [`${at}/schedules`, '.schedule .state.queued', 'Remove'],
    [`${at}/schedules/new`, '.times li', 'Save the schedule'],
    [`${at}/webhooks/new`, '#webhookUrl', 'Create the webhook'],
    [`${at}/webhooks`, '.webhook', ''],
    [`${at}/webhooks/${webhookId}`, '.delivery .wrong', 'New secret'],
    [`${url}/admin`, '.key-row', 'Remove'],
  ]
  for (const [address, ready, button] of views) {
    await page.goto(address)
    await page.locator(ready).first().waitFor()
    // The view asks a question or shows mistakes.
    if (button !== '') await page.getByRole('button', { name: button }).first().click()
    if (button.startsWith('Save') || button.startsWith('Create'))
      await page.locator('.mistake li').first().waitFor()
    await movementsEnd(page)
    expect([address, await violations(page)]).toEqual([address, []])
  }
})

test('axe finds no mistake in the form for the key', async () => {
  const service = await startHung({ AUTH: 'keys' })
  const { page } = await visit(service.url)
  await page.getByRole('button', { name: 'Open the gallery' }).click()
  await page.getByText('Paste an API key').waitFor()
  expect(await violations(page)).toEqual([])
  const { secret } = await makeKey(service.store, service.projectId)
  await page.getByLabel('API key').fill(secret)
  await page.getByLabel('Stay signed in').check()
  await page.keyboard.press('Enter')
  // After signing in, the pictures come first.
  await page.locator('.root').first().waitFor()
  await page.getByRole('link', { name: 'Signed in' }).click()
  await page.locator('.key-row').waitFor()
  expect(await violations(page)).toEqual([])
})

test('the keyboard alone is enough to enter a key, step through pictures, and open a history and leave it', async () => {
  const service = await startHung({ AUTH: 'keys' })
  const { secret } = await makeKey(service.store, service.projectId)
  const { page, complaints } = await visit(service.url)
  const { keyboard } = page
  const focused = () =>
    page.evaluate(
      () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
    )
  const tabTo = async (name: RegExp) => {
    for (let presses = 0; presses < 60; presses++) {
      if (name.test(await focused())) return
      await keyboard.press('Tab')
    }
    throw new Error(`never came to ${name}`)
  }
  await page.getByLabel('API key').waitFor()
  await keyboard.type(secret)
  await keyboard.press('Enter')
  await page.locator('.root').first().waitFor()
  await keyboard.press('/')
  await keyboard.type('about')
  await expect.poll(() => page.locator('.root').first().locator('img').count()).toBe(1)
  await tabTo(/^28 February 2026 at 06:00:00$/)
  await keyboard.press('Enter')
  await page.locator('.open').first().waitFor()
  await tabTo(/^Open Home$/)
  await keyboard.press('Enter')
  await expect.poll(() => page.locator('.pswp__caption').innerText()).toMatch(/^Home/)
  await keyboard.press('ArrowRight')
  await expect.poll(() => page.locator('.pswp__caption').innerText()).toMatch(/^Pricing/)
  await keyboard.press('Escape')
  await expect.poll(() => page.locator('.pswp').count()).toBe(0)
  await tabTo(/^site\.example\/pricing$/)
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Pricing' }).waitFor()
  await tabTo(/^Before: 26 Feb/)
  await keyboard.press('Enter')
  await expect.poll(() => page.locator('.verdict').innerText()).toMatch(/26 Feb 2026.*→/)
  await tabTo(/^How much of the earlier picture is shown$/)
  await keyboard.press('ArrowRight')
  // Alt and an arrow belong to the browser, not to the page.
  await page.goBack()
  await page.locator('.open').first().waitFor()
  expect(complaints).toEqual([])
})

test('nothing moves for users who prefer reduced motion', async () => {
  const { url, projectId, rootIds } = await startHung()
  const { page } = await visit('about:blank')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto(`${url}/projects/${projectId}/roots/${rootIds[0]}`)
  await page.locator('.open').first().click()
  await page.locator('.pswp__caption').waitFor()
  const moving = await page.evaluate(() =>
    document
      .getAnimations()
      .filter((each) => Number(each.effect?.getComputedTiming().activeDuration) > 1)
      .map((each) => {
        const { target } = each.effect as KeyframeEffect
        const what =
          each instanceof CSSAnimation ? each.animationName : (each as CSSTransition).transitionProperty
        return `${target?.className}: ${what}`
      }),
  )
  expect(moving).toEqual([])
})
