import { parseId } from '../contract/ids.ts'
import { AppError } from '../errors.ts'
import type { ShownJob } from '../store/browsing.ts'
import type { StoredSchedule } from '../store/schedules.ts'
import type { ApiKey, Project, RootHead, Store } from '../store/store.ts'
import type { StoredTemplate } from '../store/templates.ts'
import type { ListedWebhook } from '../store/webhooks.ts'

/** Ids as they stand in an address. They may be in upper case, or malformed. */
export interface ProjectIds {
  readonly projectId: string
}

export interface RootIds extends ProjectIds {
  readonly jobId: string
}

export interface WebhookIds extends ProjectIds {
  readonly webhookId: string
}

export interface JobIds extends RootIds {
  readonly uuid: string
}

export interface TemplateIds extends ProjectIds {
  readonly templateId: string
}

export interface ScheduleIds extends ProjectIds {
  readonly scheduleId: string
}

/** The key that the request uses. Undefined if no key is asked for: then every project is open. */
export type Visitor = Pick<ApiKey, 'projectId' | 'scope'> | undefined

/** A project that exists, and that the visitor may see. */
export type KnownProject = Project

/** A root that exists, and that the visitor may see. */
export interface KnownRoot extends RootHead {
  readonly projectId: string
}

/** A job that exists, and that the visitor may see. */
export interface KnownJob extends ShownJob {
  readonly projectId: string
}

/** A template that exists, and that the visitor may see. */
export type KnownTemplate = StoredTemplate

/** A webhook that exists, and that the visitor may see. */
export type KnownWebhook = ListedWebhook

type Looked = Pick<Store, 'findProject' | 'findRoot' | 'browsing' | 'templates' | 'schedules' | 'webhooks'>

/**
 * Finds the project, root, job, template, schedule or webhook that a request names, with one look-up. Throws the same `not_found`
 * for an id that is malformed, unknown, or belongs to another project.
 */
export class Door {
  readonly #store: Looked

  constructor(store: Looked) {
    this.#store = store
  }

  async getProject(ids: ProjectIds, visitor: Visitor): Promise<KnownProject> {
    return need(await this.#store.findProject(openProject(ids.projectId, visitor)))
  }

  async getRoot(ids: RootIds, visitor: Visitor): Promise<KnownRoot> {
    const projectId = openProject(ids.projectId, visitor)
    return { ...need(await this.#store.findRoot(projectId, requireId(ids.jobId))), projectId }
  }

  async getJob(ids: JobIds, visitor: Visitor): Promise<KnownJob> {
    const projectId = openProject(ids.projectId, visitor)
    const rootId = requireId(ids.jobId)
    const job = await this.#store.browsing.findJob(projectId, requireId(ids.uuid))
    return { ...need(job?.rootId === rootId ? job : undefined), projectId }
  }

  async getTemplate(ids: TemplateIds, visitor: Visitor): Promise<KnownTemplate> {
    const projectId = openProject(ids.projectId, visitor)
    return need(await this.#store.templates.find({ projectId, templateId: requireId(ids.templateId) }))
  }

  async getSchedule(ids: ScheduleIds, visitor: Visitor): Promise<StoredSchedule> {
    const projectId = openProject(ids.projectId, visitor)
    return need(await this.#store.schedules.find({ projectId, scheduleId: requireId(ids.scheduleId) }))
  }

  async getWebhook(ids: WebhookIds, visitor: Visitor): Promise<KnownWebhook> {
    const projectId = openProject(ids.projectId, visitor)
    return need(await this.#store.webhooks.find({ projectId, webhookId: requireId(ids.webhookId) }))
  }

  /** Whether a result points at the pictures of this job. */
  async isShown(projectId: string, uuid: string): Promise<boolean> {
    return (await this.#store.browsing.findJob(projectId, uuid)) !== undefined
  }
}

/** The canonical id of a project that the visitor may see. The project may not exist. */
export function openProject(text: string, visitor: Visitor): string {
  if (!isOpenTo(visitor, text)) throw new AppError('not_found')
  return requireId(text)
}

/** A key sees only its own project. An admin key sees all of them. */
export function isOpenTo(visitor: Visitor, projectText: string): boolean {
  if (visitor === undefined || visitor.scope === 'admin') return true
  return visitor.projectId !== undefined && visitor.projectId === parseId(projectText)
}

export function requireId(text: string): string {
  return need(parseId(text))
}

/** Throws `not_found` if there is none. */
function need<T>(found: T | undefined): T {
  if (found === undefined) throw new AppError('not_found')
  return found
}
