// Not beside the schemas: code that needs only the names does not load those.

/** Each with the kind of event that it comes from, and words for people. */
export const EVENTS = {
  'screenshot.done': { kind: 'page.done', words: 'a page was captured' },
  'screenshot.failed': { kind: 'page.failed', words: 'a page could not be captured' },
  'root.finished': { kind: 'root.finished', words: 'a request is finished' },
} as const

export type WebhookEvent = keyof typeof EVENTS
export const WEBHOOK_EVENTS = Object.keys(EVENTS) as WebhookEvent[]

export const WEBHOOK_FORMATS = ['standard', 'slack', 'discord'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]
