import { chromium } from 'playwright-core'

// A simple screenshot program, to compare with: a new context for each page, in as many loops as requested. Messages say
// what to capture; the answer is how long it took.

export interface PlainOrder {
  readonly urls: readonly string[]
  readonly loops: number
}

const [executablePath = ''] = process.argv.slice(2)
const browser = await chromium.launch({
  executablePath,
  chromiumSandbox: false,
  env: JSON.parse(process.env['BROWSER_ENV'] ?? '{}'),
})

async function capture(url: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 720 } })
  try {
    const page = await context.newPage()
    await page.goto(url)
    return (await page.screenshot()).length
  } finally {
    await context.close()
  }
}

process.on('message', async ({ urls, loops }: PlainOrder) => {
  const left = [...urls]
  const began = performance.now()
  const loop = async () => {
    for (let url = left.pop(); url !== undefined; url = left.pop()) await capture(url)
  }
  await Promise.all(Array.from({ length: loops }, loop))
  process.send?.(performance.now() - began)
})
process.on('disconnect', async () => {
  await browser.close()
  process.exit(0)
})
process.stdout.write('ready at http://plain\n')
