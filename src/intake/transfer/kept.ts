import { isDeepStrictEqual } from 'node:util'
import { readAll } from '../../store/owned.ts'
import type { StoredSchedule } from '../../store/schedules.ts'
import type { Store } from '../../store/store.ts'
import type { StoredTemplate } from '../../store/templates.ts'
import type { ListedWebhook } from '../../store/webhooks.ts'
import type { Transfer } from './transfer.ts'

/** How many were copied. */
export type CopiedKept = Awaited<ReturnType<typeof copyKept>>

/**
 * Copies templates, schedules and webhooks that are not there. Their secrets come along as they are stored, sealed: they open
 * with the same secret keys. Schedules are paused there, because both storages may be in use for a while.
 */
export async function copyKept({ from, to }: Transfer, projectId: string) {
  const pause = (schedule: StoredSchedule) => ({ ...schedule, paused: true, next: undefined })
  return {
    templates: await copyMissing(await listTemplates(from.store, projectId), to.store.templates),
    schedules: await copyMissing((await listSchedules(from.store, projectId)).map(pause), to.store.schedules),
    webhooks: await copyMissing(await listWebhooks(from.store, projectId), to.store.webhooks),
  }
}

async function copyMissing<Row>(
  rows: readonly Row[],
  there: { find(row: Row): Promise<unknown>; create(row: Row): Promise<unknown> },
): Promise<number> {
  let copied = 0
  for (const row of rows) {
    if (await there.find(row)) continue
    await there.create(row)
    copied++
  }
  return copied
}

/** Differences at the target: `template 5f0c…`. Pauses and past runs or deliveries are not compared. */
export async function findOtherKept({ from, to }: Transfer, projectId: string): Promise<string[]> {
  const { templates, schedules, webhooks } = to.store
  const other: string[] = []
  const compare = async <Row>(
    kind: 'template' | 'schedule' | 'webhook',
    rows: readonly Row[],
    there: { find(row: NoInfer<Row>): Promise<NoInfer<Row> | undefined> },
    fields: readonly (keyof Row)[],
  ) => {
    for (const here of rows) {
      const copy = await there.find(here)
      const isSame = copy && fields.every((field) => isDeepStrictEqual(here[field], copy[field]))
      if (!isSame) other.push(`${kind} ${here[`${kind}Id` as keyof Row]}`)
    }
  }
  const ofRequest = ['name', 'request', 'sealed'] as const
  const ofTimes = ['templateId', 'cron', 'timezone', 'every', 'overlap'] as const
  const ofWebhook = ['name', 'url', 'events', 'format', 'secrets'] as const
  await compare('template', await listTemplates(from.store, projectId), templates, ofRequest)
  await compare('schedule', await listSchedules(from.store, projectId), schedules, [...ofRequest, ...ofTimes])
  await compare('webhook', await listWebhooks(from.store, projectId), webhooks, ofWebhook)
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
