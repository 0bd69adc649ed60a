import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderBody } from '../../src/webhooks/attempt.ts'
import type { News } from '../../src/webhooks/news.ts'

const ROOT = { projectId: 'p', rootId: 'r' }
const LINK = 'https://shots.example.com/projects/p/roots/r'
const COUNTS = { total: 3, queued: 0, running: 0, done: 2, failed: 1 }

function done(name: string, preview = 'https://shots.example.com/images/x.png?expires=1'): News {
  const job = JSON.stringify({ ...ROOT, url: { url: 'https://a.example/', name }, preview })
  return { event: 'screenshot.done', job, link: LINK }
}

function finished(tags: string[], preview?: string): News {
  const data = { ...ROOT, state: 'partial' as const, counts: COUNTS, tags, link: LINK }
  return { event: 'root.finished', data, preview, link: LINK }
}

const render = (news: News, format: 'slack' | 'discord') =>
  JSON.parse(renderBody(news, { format, name: 'Mine', created: 0 }))

describe('a message for Slack', () => {
  test('is one line with a link, and the preview', () => {
    const line = `<${LINK}|Home was captured>`
    expect(render(done('Home'), 'slack')).toEqual({
      text: line,
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text: line, verbatim: true } },
        {
          type: 'image',
          image_url: 'https://shots.example.com/images/x.png?expires=1',
          alt_text: 'Home was captured',
        },
      ],
    })
  })

  test('says how many pages were captured, and the tags', () => {
    expect(render(finished(['nightly', 'shop']), 'slack')).toEqual({
      text: `<${LINK}|2 of 3 pages captured, 1 failed (nightly, shop)>`,
    })
  })

  test('mentions nobody and has no other link, whatever the name of the page', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'<>!@|&#Cx* \n'.split('')), maxLength: 400 }),
        (name) => {
          const { text } = render(done(`<!channel>${name}`), 'slack')
          expect(text.startsWith(`<${LINK}|`) && text.endsWith('>')).toBe(true)
          expect(text.slice(LINK.length + 2, -1)).not.toMatch(/[<>|\n]/)
          expect(text.length).toBeLessThan(3_000)
        },
      ),
    )
  })
})

describe('a message for Discord', () => {
  test('is one line with a link, and the preview', () => {
    expect(render(done('Home'), 'discord')).toEqual({
      content: `Home was captured\n<${LINK}>`,
      embeds: [{ url: LINK, image: { url: 'https://shots.example.com/images/x.png?expires=1' } }],
      allowed_mentions: { parse: [] },
    })
  })

  test('stays within the limit and on one line, whatever the name of the page', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (name) => {
        const { content } = render(done(name), 'discord')
        expect(content.length).toBeLessThanOrEqual(2_000)
        expect(content.split('\n')).toHaveLength(2)
      }),
    )
    expect(render(done('@everyone [x](http://evil.example)'), 'discord').content).toContain(
      String.raw`\@everyone \[x\]\(http\://evil.example\)`,
    )
  })
})

test.each([
  'http://127.0.0.1:8080/x.png',
  'http://shots.local/x.png',
  'http://10.0.0.1/x.png',
  'http://intranet/x.png',
])('a preview at %s is left out, because neither service could fetch it', (preview) => {
  expect(render(done('Home', preview), 'slack')).not.toHaveProperty('blocks')
  expect(render(done('Home', preview), 'discord')).not.toHaveProperty('embeds')
})
