// Not beside the schemas: code that needs only the names does not load those.

export const WEBHOOK_EVENTS = ['screenshot.done', 'screenshot.failed', 'root.finished'] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

export const WEBHOOK_FORMATS = ['standard', 'slack', 'discord'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]
