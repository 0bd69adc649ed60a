import { isDeepStrictEqual } from 'node:util'
import { readAll } from '../../store/owned.ts'
import type { StoredSchedule } from '../../store/schedules.ts'
import type { Store } from '../../store/store.ts'
import type { StoredTemplate } from '../../store/templates.ts'
import type { ListedWebhook } from '../../store/webhooks.ts'
import type { Transfer } from './transfer.ts'

/** How many were copied. */
export interface CopiedKept {
  readonly templates: number
  readonly schedules: number
  readonly webhooks: number
}

/**
 * Copies templates, schedules and webhooks that are not there. Their secrets come along as they are stored, sealed: they open
 * with the same secret keys. Schedules are paused there, because both storages may be in use for a while.
 */
export async function copyKept({ from, to }: Transfer, projectId: string): Promise<CopiedKept> {
  const copied = { templates: 0, schedules: 0, webhooks: 0 }
  for (const template of await listTemplates(from.store, projectId)) {
    if (await to.store.templates.find(template)) continue
    await to.store.templates.create(template)
    copied.templates++
  }
  for (const schedule of await listSchedules(from.store, projectId)) {
    if (await to.store.schedules.find(schedule)) continue
    await to.store.schedules.create({ ...schedule, paused: true, next: undefined })
    copied.schedules++
  }
  for (const webhook of await listWebhooks(from.store, projectId)) {
    if (await to.store.webhooks.find(webhook)) continue
    await to.store.webhooks.create(webhook)
    copied.webhooks++
  }
  return copied
}

/** Differences at the target: `template 5f0c…`. Pauses and past runs or deliveries are not compared. */
export async function findOtherKept({ from, to }: Transfer, projectId: string): Promise<string[]> {
  const other: string[] = []
  const compare = (what: string, here: object, there: object | undefined) => {
    if (!isDeepStrictEqual(here, there)) other.push(what)
  }
  for (const here of await listTemplates(from.store, projectId)) {
    const there = await to.store.templates.find(here)
    compare(`template ${here.templateId}`, contentOfTemplate(here), there && contentOfTemplate(there))
  }
  for (const here of await listSchedules(from.store, projectId)) {
    const there = await to.store.schedules.find(here)
    compare(`schedule ${here.scheduleId}`, contentOfSchedule(here), there && contentOfSchedule(there))
  }
  for (const here of await listWebhooks(from.store, projectId)) {
    const there = await to.store.webhooks.find(here)
    compare(`webhook ${here.webhookId}`, contentOfWebhook(here), there && contentOfWebhook(there))
  }
  return other
}

async function listTemplates({ templates }: Store, projectId: string): Promise<StoredTemplate[]> {
  const heads = await readAll(
    (page) => templates.page(projectId, page),
    (head) => head.templateId,
  )
  const found: StoredTemplate[] = []
  // One at a time: a request may be long.
  for (const { templateId } of heads) {
    const template = await templates.find({ projectId, templateId })
    if (template) found.push(template)
  }
  return found
}

async function listSchedules({ schedules }: Store, projectId: string): Promise<StoredSchedule[]> {
  return await readAll(
    (page) => schedules.page(projectId, page),
    ({ scheduleId }) => scheduleId,
  )
}

async function listWebhooks({ webhooks }: Store, projectId: string): Promise<ListedWebhook[]> {
  return await readAll(
    (page) => webhooks.page(projectId, page),
    ({ webhookId }) => webhookId,
  )
}

function contentOfTemplate({ name, request, sealed }: StoredTemplate): object {
  return { name, request, sealed }
}

function contentOfSchedule(schedule: StoredSchedule): object {
  const { name, templateId, request, sealed, cron, timezone, every, overlap } = schedule
  return { name, templateId, request, sealed, cron, timezone, every, overlap }
}

function contentOfWebhook({ name, url, events, format, secrets }: ListedWebhook): object {
  return { name, url, events, format, secrets }
}
