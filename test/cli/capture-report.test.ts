import { expect, test } from 'vitest'
import { createNames } from '../../src/cli/capture/capture-all.ts'
import { type Report, toJson, toSummary, toTable } from '../../src/cli/capture/report.ts'
import type { PageStatus, RootStatus } from '../../src/contract/status.ts'

const page = (position: number, more: Partial<PageStatus>): PageStatus => ({
  ...{ position, url: `https://example.com/${position}`, name: 'Home', state: 'done', attempts: 1 },
  ...{ queued: 1, ...more },
})

const seen = { status: 404, url: '', title: '', failedResources: 0, marks: ['error' as const] }
const urls = [
  page(0, { uuid: 'u0', options: { width: 390, height: 844 }, started: 1_000, finished: 2_500 }),
  page(1, { uuid: 'u1', seen, notes: [{ note: 'hide', detail: '#chat was\n not found.' }] }),
  page(2, { state: 'failed', reason: 'wait_for', detail: '#ready did not become visible' }),
]
const status: RootStatus = {
  ...{ rootId: 'r', state: 'partial', created: 1, tags: [], urls },
  counts: { total: 3, queued: 0, running: 0, done: 2, failed: 1 },
}
const report: Report = {
  desk: { projectId: 'p', gallery: 'https://shots.example.com', mayNotRun: false },
  statuses: [status],
  saved: new Map([['u0', 'shots/Home-390x844.png']]),
}

test('the table shows what failed and why, the notes, and the window', () => {
  expect(toTable(report).split('\n')).toEqual([
    'STATE     TIME  PAGE                           RESULT',
    'done     1.5 s  https://example.com/0 390x844  shots/Home-390x844.png',
    'done            https://example.com/1          u1 (status 404; #chat was� not found)',
    'failed          https://example.com/2          wait_for: #ready did not become visible',
  ])
})

test('the summary links to the result', () => {
  const link = 'https://shots.example.com/projects/p/roots/r'
  expect(toSummary(report)).toBe(`Not all captured: 2 of 3 pages, as root r.\nSee ${link}\n`)
  expect(toSummary({ ...report, desk: { ...report.desk, mayNotRun: true } })).toContain(
    `\n\`npx proofsheet serve\` shows it at ${link}\n`,
  )
})

test('the JSON output is the status, with the paths of the files', () => {
  expect(JSON.parse(toJson(report))).toEqual({
    roots: [
      {
        ...status,
        projectId: 'p',
        gallery: 'https://shots.example.com/projects/p/roots/r',
        urls: [{ ...urls[0], file: 'shots/Home-390x844.png' }, urls[1], urls[2]],
      },
    ],
  })
})

test('file names do not depend on the length of the list, and are all different', () => {
  const named = (...names: string[]) => {
    const nameNext = createNames()
    return names.map((name) => nameNext({ name }))
  }
  expect(named('Home', 'Über uns', 'home', 'home-2', 'Home')).toEqual([
    'Home.png',
    'Über-uns.png',
    'home-2.png',
    'home-2-2.png',
    'Home-3.png',
  ])
  const long = named(...Array.from({ length: 1_000 }, (_, index) => `Page ${index}`))
  expect(long.slice(0, 2)).toEqual(named('Page 0', 'Page 1'))
  const nameNext = createNames()
  const options = { width: 390, height: 844 }
  expect([nameNext({ name: 'Home', options }), nameNext({ name: 'Home', options })]).toEqual([
    'Home-390x844.png',
    'Home-390x844-2.png',
  ])
})
