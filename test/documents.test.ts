import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createOptions } from '../src/contract/capture-options.ts'
import { PLAIN, PLAIN_NAMES } from '../src/contract/options/plain.ts'
import { createSizes } from '../src/contract/options/window.ts'
import { parseScreenshotRequest } from '../src/contract/screenshot-request.ts'
import { MARK_NAMES, NOTES } from '../src/contract/seen.ts'
import { CAPTURE_REASONS } from '../src/contract/status.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DOCUMENTS = ['README.md', 'ARCHITECTURE.md', 'docs/**/*.md']
/** A room has its folder or file in one of these. */
const ROOMS = ['', 'src', 'gallery/src']

const read = (file: string) => readFile(join(ROOT, file), 'utf8')

/** The anchor that GitHub and others make from a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

async function anchorsOf(file: string): Promise<string[]> {
  return [...(await read(file)).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
}

test('the README has fewer than 150 lines', async () => {
  expect((await read('README.md')).trim().split('\n').length).toBeLessThan(150)
})

test('every link of a document leads to an existing file and heading', async () => {
  const broken: string[] = []
  let links = 0
  for await (const file of glob(DOCUMENTS, { cwd: ROOT })) {
    for (const [, link = ''] of (await read(file)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link)) continue
      links++
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? file : join(dirname(file), path)
      const leads =
        existsSync(join(ROOT, target)) && (anchor === undefined || (await anchorsOf(target)).includes(anchor))
      if (!leads) broken.push(`${file}: ${link}`)
    }
  }
  expect(broken).toEqual([])
  expect(links).toBeGreaterThan(30)
})

test('every source file named in ARCHITECTURE.md exists', async () => {
  const named = [...(await read('ARCHITECTURE.md')).matchAll(/`([\w-]+\/[\w./-]+\.(?:tsx?|md))`/g)].map(
    ([, path = '']) => path,
  )
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((path) => !ROOMS.some((room) => existsSync(join(ROOT, room, path))))).toEqual([])
})

test('docs/capturing.md explains every option, reason, mark and note', async () => {
  const document = await read('docs/capturing.md')
  const options = [...Object.keys(createOptions()), 'sizes', 'tags', 'loadingTime', 'failOn']
  const unexplained = options.filter((name) => !new RegExp(`["\`]${name}["\`]`).test(document))
  const rows = [...Object.keys(CAPTURE_REASONS), ...MARK_NAMES, ...Object.keys(NOTES)]
  const missing = rows.filter((name) => !document.includes(`\n| \`${name}\` |`))
  expect([unexplained, missing]).toEqual([[], []])
})

test('docs/capturing.md has a row for each plain option, with its description', async () => {
  const document = await read('docs/capturing.md')
  for (const name of PLAIN_NAMES) {
    const { example, usage, text } = PLAIN[name]
    expect(document).toContain(`\n| \`"${name}": ${JSON.stringify(example)}\` | \`${usage}\` | ${text} |\n`)
  }
})

test('docs/capturing.md states the limits of the schema for lists and texts', async () => {
  const [, limits = ''] = (await read('docs/capturing.md')).split('\n## Limits\n')
  const { hide, clicks, effects, css, waitFor } = createOptions()
  const sizes = createSizes({ viewportWidth: 1, viewportHeight: 1 })
  for (const [name, most] of [
    ['`sizes`', sizes['maxItems']],
    ['`hide`', hide['maxItems']],
    ['`clicks`', clicks['maxItems']],
    ['`effects`', effects['maxItems']],
    ['`css`', css['maxLength']],
    ['a selector', waitFor['maxLength']],
  ] as const) {
    expect(most).toBeGreaterThan(0)
    expect(limits).toMatch(new RegExp(`^\\| ${name} \\| ${most}\\b`, 'm'))
  }
})

test('every request shown in a document is valid', async () => {
  const limits = {
    ...{ urls: 100, loadingMs: 60_000, viewportWidth: 4_096, viewportHeight: 4_096 },
    picturePixels: 10 ** 8,
  }
  let requests = 0
  for (const file of ['README.md', 'docs/capturing.md', 'docs/api.md']) {
    for (const [, json = ''] of (await read(file)).matchAll(/```json\n(\{"screenshotParameter".*?)```/gs)) {
      requests++
      expect(parseScreenshotRequest(JSON.parse(json), limits).mistakes).toBeUndefined()
    }
  }
  expect(requests).toBeGreaterThan(3)
})
