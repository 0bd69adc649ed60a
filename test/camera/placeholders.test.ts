// @module-tag browser

import { expect, test } from 'vitest'
import { openTestCamera, paint, readPixels, serveSite } from '../support/camera/camera.ts'
import { useServer } from '../support/servers/use-servers.ts'
import { FOREVER } from './use-site.ts'

const [WHITE, GREEN] = ['#ffffff', '#00ff00']
const boxes = (attributes: string) =>
  Array.from(
    { length: 4 },
    () => `<div ${attributes} style="height:60px;margin:20px;background:#e5e7eb"></div>`,
  ).join('')
const NAMED = {
  '/class': boxes('class="card card--skeleton"'),
  '/camel': boxes('class="MuiSkeleton-root"'),
  '/bootstrap': boxes('class="placeholder-glow"'),
  '/busy': '<main aria-busy=true><p>Loading the report</main>',
}
const ALIKE = boxes('')
/** The content comes 2.5 s after everything else is quiet. */
const filledLater = (shown: string) =>
  paint(
    WHITE,
    `${shown}<script>onload = () => setTimeout(() => { document.body.innerHTML = '<p>Content'
      document.documentElement.style.background = '${GREEN}' }, 2500)</script>`,
  )
const never = (shown: string) => paint(WHITE, `${shown}<script>0</script>`)

const site = useServer(() =>
  serveSite({
    ...Object.fromEntries(Object.entries(NAMED).map(([path, shown]) => [path, filledLater(shown)])),
    ...Object.fromEntries(Object.entries(NAMED).map(([path, shown]) => [`/never${path}`, never(shown)])),
    '/alike': filledLater(ALIKE),
    '/never/alike': never(ALIKE),
    '/article': never(`<article class=skeleton-demo>${'Text. '.repeat(200)}</article>${ALIKE}`),
  }),
)
const camera = useServer(async () => openTestCamera({ allow: `site.test:${site.port}` }))
const take = (path: string) => camera.take(`http://site.test:${site.port}${path}`, { loadingTime: FOREVER })

const takeAll = (paths: readonly string[]) => Promise.all(paths.map(take))

test('content is awaited in place of its placeholders', async () => {
  for (const { bytes, seen } of await takeAll([...Object.keys(NAMED), '/alike'])) {
    expect((await readPixels(bytes)).at(1_100, 700)).toBe(GREEN)
    expect(seen.marks).toEqual([])
  }
})

test('a page whose content does not come has a mark, unless its boxes only look like placeholders', async () => {
  const named = await takeAll(Object.keys(NAMED).map((path) => `/never${path}`))
  expect(named.map(({ seen }) => seen.marks)).toEqual(named.map(() => ['waiting']))
  const others = await takeAll(['/never/alike', '/article'])
  expect(others.map(({ seen }) => seen.marks)).toEqual([[], []])
})
