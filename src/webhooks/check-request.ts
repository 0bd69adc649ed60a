import { isIP } from 'node:net'
import { check, type Mistake } from '../contract/check.ts'
import { WebhookRequest } from '../contract/webhooks.ts'
import { findForbiddenKind } from '../egress/addresses.ts'
import type { AllowList } from '../egress/allow-list.ts'
import { nameTarget, targetOf } from '../egress/target.ts'
import { AppError } from '../errors.ts'
import type { WebhookSettings } from '../store/webhooks.ts'

/** The settings of a webhook that a client sent. Throws `bad_request` with all mistakes. */
export function checkWebhookRequest(body: unknown, allow: AllowList): WebhookSettings {
  const { value, mistakes } = check(WebhookRequest, body, { nothing: 'not_given' })
  if (mistakes) throw wrongRequest(mistakes)
  const problem = problemOf(value.url, allow)
  if (problem !== undefined) throw wrongRequest([{ pointer: '#/url', detail: problem }])
  const { name, url, events, format, paused } = value
  return {
    ...{ name, url: new URL(url).href, events: [...new Set(events)] },
    ...{ format: format ?? 'standard', paused: paused ?? false },
  }
}

function problemOf(text: string, allow: AllowList): string | undefined {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) return 'must be an http or https address'
  if (url.username !== '' || url.password !== '') return 'must have no user name and no password'
  if (url.hash !== '') return 'must have no fragment (#…): it is never sent'
  const target = targetOf(text)
  if (!target) return 'must have a host that can be reached'
  // What a name leads to is only known when it is looked up, and may change. It is checked with each delivery.
  const isHere = target.host === 'localhost' || target.host.endsWith('.localhost')
  const address = isHere ? '127.0.0.1' : target.host
  if (isIP(address) === 0 || allow.allowsName(target.host, target.port)) return undefined
  const kind = allow.allowsAddress(address, target.port) ? undefined : findForbiddenKind(address)
  return (
    kind &&
    `is ${kind}, which webhooks may not reach. To allow it, start proofsheet with WEBHOOK_ALLOW=${nameTarget(target)}`
  )
}

function wrongRequest(mistakes: readonly Mistake[]): AppError {
  return new AppError('bad_request', 'the request has mistakes: see errors', { mistakes })
}
