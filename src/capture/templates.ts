import { randomUUID } from 'node:crypto'
import type { Mistake } from '../contract/check.ts'
import { hasSecrets } from '../contract/options/secrets.ts'
import type { RequestLimits } from '../contract/screenshot-request.ts'
import { parseTemplateRequest, type TemplateRun } from '../contract/templates.ts'
import { timeOf, type When } from '../contract/when.ts'
import { AppError, need, wrongRequest } from '../errors.ts'
import { CannotOpen, type KeyRing } from '../secrets/key-ring.ts'
import { untilUnchanged } from '../store/owned.ts'
import type { Store } from '../store/store.ts'
import type { StoredTemplate, TemplateKey } from '../store/templates.ts'
import { otherWork } from '../work/other-work.ts'
import type { RequestContent } from './digest.ts'
import { keepRequest, type Opened, openRequest, refillRequest, toAsked } from './kept-request.ts'
import type { Requests } from './requests.ts'

export interface TemplatesOptions {
  readonly ring: KeyRing
  readonly requests: Pick<Requests, 'accept'>
  readonly limits: RequestLimits & { readonly templates: number }
  readonly clock: () => number
}

export interface Run {
  /** Instead of those of the template. */
  readonly urls: TemplateRun['urls']
  readonly when: When | undefined
  /** The API key. */
  readonly by?: string | undefined
}

/**
 * Creates, changes, removes and runs templates. A request may have a megabyte: between the steps of the work, others use the event
 * loop.
 */
export class Templates {
  readonly #store: Pick<Store, 'templates'>
  readonly #options: TemplatesOptions

  constructor(store: Pick<Store, 'templates'>, options: TemplatesOptions) {
    this.#store = store
    this.#options = options
  }

  /** Throws `not_found`. */
  async get(key: TemplateKey): Promise<StoredTemplate> {
    await otherWork()
    return need(await this.#store.templates.find(key))
  }

  /** `body`: any JSON. Throws `bad_request` with all its mistakes, `not_found`, or `conflict` if there are too many. */
  async create(projectId: string, body: unknown): Promise<StoredTemplate> {
    const { limits, ring, clock } = this.#options
    const { given, name, mistakes } = parseTemplateRequest(body, limits)
    if (!given) throw wrongRequest(mistakes)
    const key = { projectId, templateId: randomUUID() }
    await otherWork()
    const kept = keepRequest(given, ring, placeOf(key))
    await otherWork()
    const template = { ...key, name, ...kept, created: clock() }
    return await this.#store.templates.create(template, { most: limits.templates })
  }

  /**
   * Replaces a template. An empty string in the place of a secret keeps the secret. Throws `bad_request` with all mistakes,
   * `not_found`, `precondition_failed`.
   */
  async change(known: StoredTemplate, body: unknown, revision?: string): Promise<StoredTemplate> {
    const { limits, ring, clock } = this.#options
    const { projectId, templateId } = known
    const key = { projectId, templateId }
    // If another change came first, it is done again: the secrets of that change are the ones that are kept now.
    return await untilUnchanged(
      known,
      revision,
      () => this.get(key),
      async (before) => {
        const place = placeOf(key)
        await otherWork()
        const refilled = refillRequest(body, before, { ring, place })
        await otherWork()
        const { given, name, mistakes = [] } = parseTemplateRequest(refilled.bare, limits)
        const kept = given && refilled.mistakesOfOptions()
        if (!given || refilled.mistakes.length > 0 || kept?.length)
          throw wrongRequest(oneForEachPlace([...refilled.mistakes, ...(kept ?? [])], mistakes))
        await otherWork()
        const change = { name, ...keepRequest(refilled.putSecretsIn(given), ring, place), changed: clock() }
        await otherWork()
        return await this.#store.templates.change(key, change, before)
      },
    )
  }

  /** Throws `not_found`, `precondition_failed`, or `conflict` if something uses it. */
  async remove(key: TemplateKey, revision?: string): Promise<void> {
    await this.#store.templates.remove(key, { revision })
  }

  /** Returns the id of the root when it is durable. Throws as `Requests.accept`, and `bad_request` with all mistakes. */
  async run(key: TemplateKey, { urls, when, by }: Run, idempotencyKey?: string): Promise<string> {
    const { limits, requests, clock } = this.#options
    const now = clock()
    const template = await this.get(key)
    const opened = await this.#open(template, urls).catch(refuseUnopened)
    const asked = await toAsked(opened, limits)
    const scheduled = timeOf(when, now)
    const origin = { templateId: key.templateId, ...(scheduled !== undefined && { scheduled }) }
    // A run with a guess must not be taken for a repetition of a run with what is kept.
    const { kept = [] } = opened
    const brings = urls && asked.pages.some(({ ownOptions = {} }) => hasSecrets(ownOptions))
    const uses = [key.templateId, template.revision, ...kept].join(' ')
    const digested = { ...asked, when, template: uses, by: brings ? by : undefined }
    return await requests.accept(key.projectId, digested, { now, idempotencyKey, origin })
  }

  /** The pages and options of a template, if there is one. Throws CannotOpen, and `bad_request` with all mistakes. */
  async findAsked(projectId: string, templateId: string): Promise<RequestContent | undefined> {
    const template = await this.#store.templates.find({ projectId, templateId })
    return template && (await toAsked(await this.#open(template), this.#options.limits))
  }

  async #open(template: StoredTemplate, urls?: Run['urls']): Promise<Opened> {
    await otherWork()
    return openRequest(template, this.#options.ring, { place: placeOf(template), urls })
  }
}

/** Where the sealed secrets of a template belong. */
function placeOf({ projectId, templateId }: TemplateKey): string {
  return `template ${projectId} ${templateId}`
}

/** Where a secret must be given again, the check finds an empty string. One mistake is enough. */
export function oneForEachPlace(first: readonly Mistake[], others: readonly Mistake[]): Mistake[] {
  const places = new Set(first.map(({ pointer }) => pointer))
  return [...first, ...others.filter(({ pointer }) => !places.has(pointer))]
}

function refuseUnopened(error: unknown): never {
  if (!(error instanceof CannotOpen)) throw error
  throw new AppError(
    'conflict',
    'the secrets of this template cannot be decrypted: the service no longer has their key. Change the template, and ' +
      'give them again',
    { cause: error },
  )
}
