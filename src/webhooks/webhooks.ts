import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import { defined } from '../contract/defined.ts'
import { type Delivery, type DeliveryState, type Webhook, WebhookRequest } from '../contract/webhooks.ts'
import { findForbiddenKind } from '../egress/addresses.ts'
import type { AllowList } from '../egress/allow-list.ts'
import { nameTarget, targetOf } from '../egress/target.ts'
import { need, requireValid, wrongRequest } from '../errors.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import { type ListPage, readListPage } from '../store/cursor.ts'
import type { Store } from '../store/store.ts'
import type { InTurn, ListedWebhook, StoredDelivery, WebhookKey, WebhookSettings } from '../store/webhooks.ts'
import { makeSecret, rotate, sealSecret } from './secrets.ts'

export interface WebhookRules {
  readonly ring: KeyRing
  readonly allow: AllowList
  /** The most webhooks of a project. */
  readonly most: number
  readonly clock: () => number
  /** Something may be due now. */
  readonly wake: () => void
}

/** A webhook with a new secret, which is shown only now. */
export type WithSecret = ListedWebhook & { readonly secret: string }

/** Creates and changes webhooks, and shows their deliveries. Methods throw `not_found` for a webhook that does not exist. */
export class Webhooks {
  readonly #store: Store['webhooks']
  readonly #rules: WebhookRules

  constructor(store: Pick<Store, 'webhooks'>, rules: WebhookRules) {
    this.#store = store.webhooks
    this.#rules = rules
  }

  async get(key: WebhookKey): Promise<ListedWebhook> {
    return need(await this.#store.find(key))
  }

  async list(projectId: string, page: ListPage) {
    const { items, nextCursor } = await readListPage(
      page,
      (next) => this.#store.page(projectId, next),
      ({ webhookId }) => webhookId,
    )
    return { webhooks: items.map(show), nextCursor }
  }

  /** The answer has the secret. `body`: any JSON. Throws `bad_request` with all its mistakes; `conflict` if there are too many. */
  async create(projectId: string, body: unknown): Promise<WithSecret> {
    const { allow, clock, most, ring } = this.#rules
    const settings = checkWebhookRequest(body, allow)
    const webhookId = randomUUID()
    const secret = makeSecret()
    const secrets = [sealSecret(secret, webhookId, ring)]
    const made = await this.#store.create(
      { projectId, webhookId, ...settings, secrets, created: clock() },
      { most },
    )
    return { ...made, secret }
  }

  /** Replaces all settings, and switches it on again. Throws as above, and `precondition_failed`. */
  async change(key: WebhookKey, body: unknown, revision?: string): Promise<ListedWebhook> {
    const { allow, clock, wake } = this.#rules
    const settings = checkWebhookRequest(body, allow)
    const changed = await this.#store.change(key, settings, { now: clock(), revision })
    wake()
    return changed
  }

  /** Throws `precondition_failed`. */
  async remove(key: WebhookKey, revision?: string): Promise<void> {
    await this.#store.remove(key, { revision })
  }

  /** The answer has the new secret. */
  async rotateSecret(key: WebhookKey): Promise<WithSecret> {
    const { clock, ring } = this.#rules
    const secret = makeSecret()
    const fresh = sealSecret(secret, key.webhookId, ring)
    const now = clock()
    const changed = await this.#store.changeSecrets(key, (before) => rotate(fresh, before, now), now)
    return { ...changed, secret }
  }

  /** Throws `conflict` if it is paused or off, or if very many tests are pending. */
  async test(key: WebhookKey): Promise<Delivery> {
    return this.#showDue(await this.#store.addTest(key, this.#rules.clock()))
  }

  async listDeliveries(
    key: WebhookKey,
    { state, ...page }: ListPage & { state?: DeliveryState | undefined },
  ) {
    const { items, nextCursor } = await readListPage(
      page,
      (next) => this.#store.listDeliveries(key, { state, ...next }),
      ({ deliveryId }) => deliveryId,
    )
    return { deliveries: items.map(showDelivery), nextCursor }
  }

  /** Throws `conflict` if the webhook is paused or off. */
  async replay(key: WebhookKey, deliveryId: string): Promise<Delivery> {
    return this.#showDue(await this.#store.replay(key, deliveryId, this.#rules.clock()))
  }

  /** Everything that happened at this time or later, piece by piece. Returns how many. Throws as above. */
  async replayFrom(key: WebhookKey, from: number, inTurn?: InTurn): Promise<number> {
    const count = need(await this.#store.replayFrom(key, from, { now: this.#rules.clock(), inTurn }))
    this.#rules.wake()
    return count
  }

  #showDue(delivery: StoredDelivery | undefined): Delivery {
    const shown = showDelivery(need(delivery))
    this.#rules.wake()
    return shown
  }
}

export function show(stored: ListedWebhook & { readonly secret?: string }): Webhook {
  const { webhookId, name, url, events, format, paused, created, changed } = stored
  const { pending, failingSince, off, secret } = stored
  return defined({
    ...{ webhookId, name, url, events: [...events], format, paused, created, changed, pending },
    ...{ failingSince, off, secret },
  })
}

export function showDelivery(stored: StoredDelivery): Delivery {
  const { deliveryId, event, rootId, position, state, created, attempts, due: next, finished, last } = stored
  return defined({
    ...{ deliveryId, event, state, created, attempts, rootId, position, next, finished },
    last: last && defined(last),
  })
}

/** The settings of a webhook that a client sent. Throws `bad_request` with all mistakes. */
function checkWebhookRequest(body: unknown, allow: AllowList): WebhookSettings {
  const { name, url, events, format = 'standard', paused = false } = requireValid(WebhookRequest, body)
  const problem = problemOf(url, allow)
  if (problem !== undefined) throw wrongRequest([{ pointer: '#/url', detail: problem }])
  return { name, url: new URL(url).href, events: [...new Set(events)], format, paused }
}

function problemOf(text: string, allow: AllowList): string | undefined {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) return 'must be an http or https address'
  if (url.username !== '' || url.password !== '') return 'must have no user name and no password'
  if (url.hash !== '') return 'must have no fragment (#…): it is never sent'
  const target = targetOf(text)
  if (!target) return 'must have a host that can be reached'
  // The address of a name is only known when it is looked up, and may change. It is checked with each delivery.
  const isHere = target.host === 'localhost' || target.host.endsWith('.localhost')
  const address = isHere ? '127.0.0.1' : target.host
  if (isIP(address) === 0 || allow.allowsName(target.host, target.port)) return undefined
  const kind = allow.allowsAddress(address, target.port) ? undefined : findForbiddenKind(address)
  return (
    kind &&
    `is ${kind}, which webhooks may not reach. To allow it, start proofsheet with WEBHOOK_ALLOW=${nameTarget(target)}`
  )
}
