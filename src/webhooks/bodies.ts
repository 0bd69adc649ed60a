import type { WebhookFormat } from '../contract/webhooks.ts'
import { discordMessage, slackMessage } from './messages.ts'
import type { News } from './news.ts'

/** The body of a delivery. */
export function renderBody(
  news: News,
  { format, name, created }: { format: WebhookFormat; name: string; created: number },
): string {
  if (format === 'slack') return JSON.stringify(slackMessage(news, name))
  if (format === 'discord') return JSON.stringify(discordMessage(news, name))
  // Exactly what reading the root answers, for clients of Websiteshot.
  if (news.event === 'screenshot.done') return news.job
  return JSON.stringify({ type: news.event, timestamp: new Date(created).toISOString(), data: news.data })
}
