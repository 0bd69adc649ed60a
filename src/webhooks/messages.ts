import { isIP } from 'node:net'
import { isPublicAddress } from '../egress/addresses.ts'
import { type Line, lineOf, type News } from './news.ts'

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

function messageOf(news: News, webhookName: string): Line {
  const { text, link, picture } = lineOf(news, webhookName)
  return { text: tidy(text), link, picture: visible(picture) }
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
