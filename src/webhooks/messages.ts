import { isIP } from 'node:net'
import type { JobResult } from '../contract/results.ts'
import { isPublicAddress } from '../egress/addresses.ts'
import type { News } from './news.ts'

// Messages for incoming webhooks of Slack and Discord: a line of text, a link into the gallery, and the preview. Names of pages
// are written by strangers. Decision 30 says what the services document.

/** Far below the limits of both services. */
const MAX_TEXT = 300
/** Slack accepts no longer picture URL. */
const MAX_PICTURE_URL = 3_000

export function slackMessage(news: News, webhookName: string): object {
  const { text, link, picture } = messageOf(news, webhookName)
  const words = escapeSlack(text)
  const line = link === undefined ? words : `<${link}|${words.replaceAll('|', '¦')}>`
  return {
    text: line,
    ...(picture !== undefined && {
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text: line, verbatim: true } },
        { type: 'image', image_url: picture, alt_text: text },
      ],
    }),
  }
}

export function discordMessage(news: News, webhookName: string): object {
  const { text, link, picture } = messageOf(news, webhookName)
  return {
    content: link === undefined ? escapeDiscord(text) : `${escapeDiscord(text)}\n<${link}>`,
    ...(picture !== undefined && { embeds: [{ url: link, image: { url: picture } }] }),
    // Nobody is notified, whatever the text says.
    allowed_mentions: { parse: [] },
  }
}

function messageOf(news: News, webhookName: string) {
  const { text, link, picture } = describe(news, webhookName)
  return { text: tidy(text), link, picture: visible(picture) }
}

/** What happened, for people. The texts are not escaped, and the picture may not be reachable for others. */
function describe(
  news: News,
  webhookName: string,
): { text: string; link?: string; picture?: string | undefined } {
  switch (news.event) {
    case 'screenshot.done': {
      const { url, preview } = JSON.parse(news.job) as JobResult
      return { text: `${url.name || url.url} was captured`, link: news.link, picture: preview }
    }
    case 'screenshot.failed': {
      const { name, url, detail } = news.data
      return { text: `${name || url} could not be captured: ${detail}`, link: news.link }
    }
    case 'root.finished':
      return { text: summarize(news.data), link: news.link, picture: news.preview }
    default:
      return { text: `A test of the webhook ${webhookName}` }
  }
}

function summarize({ state, counts, tags }: Extract<News, { event: 'root.finished' }>['data']): string {
  const labels = tags.length > 0 ? ` (${tags.join(', ')})` : ''
  const pages = counts.total === 1 ? '1 page' : `${counts.total} pages`
  if (state === 'done') return `${pages} captured${labels}`
  if (state === 'partial') return `${counts.done} of ${pages} captured, ${counts.failed} failed${labels}`
  return state === 'cancelled'
    ? `The request for ${pages} was cancelled${labels}`
    : `${pages} failed${labels}`
}

/** One line, without characters that hide or turn text around. */
function tidy(text: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
  const characters = [...line]
  return characters.length <= MAX_TEXT ? line : `${characters.slice(0, MAX_TEXT - 1).join('')}…`
}

/** Slack reads these three as control characters: `<!channel>` would notify everyone. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Markdown: a link with another text, a heading, a spoiler, a mention. */
function escapeDiscord(text: string): string {
  return text.replace(/[\\*_~`|>[\]()#<@:-]/g, '\\$&')
}

/** These services fetch the picture. Slack refuses the whole message if it cannot. */
function visible(picture: string | undefined): string | undefined {
  const url = picture === undefined ? null : URL.parse(picture)
  if (!url || url.href.length > MAX_PICTURE_URL) return undefined
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isOutside = isIP(host) === 0 ? /\.[a-z]{2,}$/i.test(host) && !LOCAL.test(host) : isPublicAddress(host)
  return isOutside ? url.href : undefined
}

const LOCAL = /\.(localhost|local|internal|lan|home|test|invalid|example)$/i
