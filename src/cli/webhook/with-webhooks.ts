import type { Purpose } from '../../config/config.ts'
import { createWebhooks } from '../../service/notifications.ts'
import type { Storage } from '../../service/storage.ts'
import { readAll } from '../../store/owned.ts'
import type { ListedWebhook } from '../../store/webhooks.ts'
import type { Webhooks } from '../../webhooks/webhooks.ts'
import { chooseByName, noSuch } from '../choose-by-name.ts'
import { getProjectId, withStorage } from '../storage.ts'

export interface Given {
  readonly project?: string
}

interface Opened {
  readonly storage: Storage
  readonly projectId: string
  readonly webhooks: Webhooks
}

/** For commands that create or change secrets: these are sealed with the keys of the service. */
export const SEALING: Purpose = { capturing: true }

/** The webhooks of a project in the configured storage. Nothing is sent from here. */
export async function withWebhooks<T>(
  { project }: Given,
  work: (opened: Opened) => Promise<T>,
  purpose: Purpose = {},
): Promise<T> {
  return await withStorage(async (storage, config) => {
    const projectId = await getProjectId(storage, project)
    return await work({ storage, projectId, webhooks: createWebhooks(config, storage, { clock: Date.now }) })
  }, purpose)
}

/** One webhook, by its id or its name. Throws `not_found`, or `bad_request` if it is not clear which one is meant. */
export async function withWebhook<T>(
  meant: string,
  given: Given,
  work: (found: ListedWebhook, opened: Opened) => Promise<T>,
  purpose: Purpose = {},
): Promise<T> {
  const find = async (opened: Opened): Promise<T> => {
    const { projectId, storage } = opened
    const webhookId = await chooseByName('webhook', meant, {
      list: () => listWebhooks(storage, projectId),
      idOf: (each) => each.webhookId,
    })
    const found = await storage.store.webhooks.find({ projectId, webhookId })
    if (!found) throw noSuch('webhook', meant)
    return await work(found, opened)
  }
  return await withWebhooks(given, find, purpose)
}

/** Oldest first. */
export async function listWebhooks({ store }: Storage, projectId: string): Promise<ListedWebhook[]> {
  return await readAll(
    (page) => store.webhooks.page(projectId, page),
    ({ webhookId }) => webhookId,
  )
}
