import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { onTestFinished } from 'vitest'
import type { Shot } from '../../src/camera/camera.ts'
import {
  type CameraRules,
  type Handler,
  HTML,
  openTestCamera,
  paint,
  readPixels,
  type Site,
  serveSite,
  type TestCamera,
} from '../support/camera/camera.ts'
import { useServer } from '../support/servers/use-servers.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const RED = '#ff0000'
export const GREEN = '#00ff00'
export const BLUE = '#0000ff'

const after =
  (ms: number, answer: Handler): Handler =>
  (...given) =>
    void setTimeout(() => answer(...given), ms)
const never: Handler = () => {}
const redirect =
  (to: (url: URL) => string, status = 302): Handler =>
  (answer, _, url) =>
    void answer.writeHead(status, { location: to(url) }).end()
const picture =
  (colour: string): Handler =>
  async (answer) => {
    const create = { width: 10, height: 10, channels: 3, background: colour } as const
    answer.writeHead(200, { 'content-type': 'image/png' }).end(await sharp({ create }).png().toBuffer())
  }
const box = (colour: string, left: number, top: number, more = '') =>
  `<div style="position:absolute;left:${left}px;top:${top}px;width:100px;height:100px;background:${colour};${more}"></div>`
const image = (src: string, top: number, more = '') =>
  `<img src="${src}" ${more} style="position:absolute;left:0;top:${top}px;width:100px;height:100px">`
const green = 'document.documentElement.style.background = "#00ff00"'

const pages: Record<string, string | Handler> = {
  '/corners': paint('#ffffff', box(RED, 0, 0) + box(GREEN, 1100, 0) + box(BLUE, 1100, 620)),
  '/long': paint(BLUE, `<div style="height:3000px"></div>${box(RED, 0, 2900)}`),
  '/endless': paint(BLUE, '<div style="height:200000px"></div>'),
  '/wide': paint(BLUE, box(RED, 5000, 0) + box(GREEN, 1100, 0)),
  '/dialogs': paint(
    RED,
    `<script>onbeforeunload = (event) => { event.preventDefault(); return 'stay' }
      alert('a'); confirm('b'); prompt('c'); print(); ${green}
      onload = () => { print(); alert('d') }</script>`,
  ),
  '/leaves': paint(
    RED,
    `<script>onbeforeunload = (event) => { event.preventDefault(); return 'stay' }; location = '/green'</script>`,
  ),
  '/green': paint(GREEN),
  '/popups': paint(
    GREEN,
    `<a id=a target=_blank href=/popup>a</a><script>
      for (let i = 0; i < 5; i++) { open('/popup'); a.click() }
      setInterval(() => open('/popup?' + Math.random()), 50)</script>`,
  ),
  '/popup': paint(RED, `<script>opener?.alert(1); setTimeout(() => fetch('/popup-lives'), 1500)</script>`),
  '/attachment': (answer) =>
    void answer.writeHead(200, { ...HTML, 'content-disposition': 'attachment' }).end('kept'),
  '/binary': (answer) =>
    void answer.writeHead(200, { 'content-type': 'application/octet-stream' }).end('kept'),
  '/downloads': paint(
    GREEN,
    '<a id=a download href=/binary>a</a><iframe src=/attachment></iframe><script>a.click()</script>',
  ),
  '/unfinished': paint(GREEN, image('/never', 0)),
  '/never': never,
  '/half': (answer) => void answer.writeHead(200, HTML).write(paint(GREEN).replace('</body></html>', '')),
  '/reloads': paint(GREEN, '<script>location.reload()</script>'),
  '/reloads-later': paint(GREEN, '<script>onload = () => setTimeout(() => location.reload(), 30)</script>'),
  '/refreshes': paint(GREEN, '<meta http-equiv=refresh content=0>'),
  '/loop': redirect(() => '/loop'),
  '/longer': redirect((url) => `/longer?${Number(url.search.slice(1)) + 1}`, 307),
  '/chain': redirect((url) =>
    url.search === '?10' ? '/green' : `/chain?${Number(url.search.slice(1)) + 1}`,
  ),
  '/large': (answer) => {
    const chunk = Buffer.alloc(100_000, 'x')
    answer.writeHead(200, HTML).write('<p>')
    const more = () => !answer.destroyed && answer.write(chunk, () => setImmediate(more))
    more()
  },
  '/loads-large': paint(GREEN, `<script>fetch('/large').then((answer) => answer.text())</script>`),
  '/gone': (answer) => void answer.writeHead(404, HTML).end(paint(GREEN)),
  '/broken': (answer) => void answer.writeHead(500, HTML).end(paint(GREEN)),
  '/to-private': redirect(() => 'http://10.0.0.1/'),
  '/to-dead-name': paint(GREEN, `<script>location = 'http://dead.nowhere/'</script>`),
  '/observed': paint(
    RED,
    `<div id=far style="position:absolute;top:5000px;width:100%;height:500px"></div><script>
      new IntersectionObserver(([seen]) => { if (seen.isIntersecting) far.style.background = '${GREEN}' }).observe(far)
      // Nothing refers to the observer, and this makes the browser collect garbage.
      setTimeout(() => { for (let i = 0, all = []; i < 2e6; i++) { if (all.push({ i }) > 1e5) all = [] } }, 100)
    </script>`,
  ),
  '/streaming': paint(GREEN, `<script>new EventSource('/endless-events')</script>`),
  '/endless-events': (answer) =>
    void answer.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n'),
  '/shares': paint(GREEN, `<script>new SharedWorker('/shared.js')</script>`),
  '/shared.js': (answer) => void answer.writeHead(200, { 'content-type': 'text/javascript' }).end('0'),
  '/lazy': paint(
    BLUE,
    `<div style="height:9000px"></div>${image('/late.png', 8000, 'loading=lazy')}
      <iframe loading=lazy src=/late-frame style="position:absolute;left:200px;top:8000px;border:0"></iframe>`,
  ),
  '/late.png': after(300, picture(RED)),
  '/late-frame': after(300, (answer) => void answer.writeHead(200, HTML).end(paint(GREEN))),
  '/font': paint(
    BLUE,
    `<style>@font-face { font-family: icons; src: url(/font.ttf); font-display: block }
      p { font: 400px/1 icons; color: ${RED}; margin: 0 }</style><p>&#xea71;</p>`,
  ),
  '/fetches': paint(
    RED,
    `<script>fetch('/late.json').then((r) => r.json())
      .then(() => setTimeout(() => fetch('/late.json').then(() => { ${green} }), 200))</script>`,
  ),
  '/late.json': after(400, (answer) => void answer.end('{}')),
  '/moves': paint(
    BLUE,
    `<style>@keyframes turn { from { background: red } to { background: ${GREEN} } }
      @keyframes spin { to { background: red } }
      #a { animation: turn 60s forwards } #b { animation: spin 1s infinite; background: ${GREEN} }
      #c { transition: background 60s; background: red } .on #c { background: ${GREEN} }
      div { width: 100px; height: 100px }</style><div id=a></div><div id=b></div><div id=c></div>
      <script>onload = () => { c.offsetTop; document.body.className = 'on' }</script>`,
  ),
  '/anchors': paint(
    RED,
    `<div style="height:2000px"></div><div id=far style="height:2000px;background:${BLUE}"></div>`,
  ),
  '/state': (answer) =>
    void answer.writeHead(200, { ...HTML, 'set-cookie': 'a=1; max-age=9999' }).end(
      paint(
        GREEN,
        `<script src=/cached.js></script><script>
          const bad = () => { document.documentElement.style.background = 'red' }
          if (localStorage.a || /b=1/.test(document.cookie) || name) bad()
          localStorage.a = sessionStorage.a = name = 1
          document.cookie = 'b=1; max-age=9999'
          const opening = indexedDB.open('a', 1)
          opening.onupgradeneeded = (event) => { if (event.oldVersion > 0) bad() }
          opening.onsuccess = () => {
            const store = opening.result.objectStoreNames
            if (store.contains('a')) bad()
          }
          fetch('/cookies').then((r) => r.text()).then((text) => { if (text.includes('seen')) bad() })
        </script>`,
      ),
    ),
  '/cached.js': (answer) =>
    void answer.writeHead(200, { 'cache-control': 'max-age=9999', 'content-type': 'text/javascript' }).end(),
  '/cookies': (answer) => void answer.writeHead(200, { 'set-cookie': 'seen=1; max-age=9999' }).end('fresh'),
  '/slow-green': after(300, (answer) => void answer.writeHead(200, HTML).end(paint(GREEN))),
}

async function startSite(): Promise<Site> {
  const [font = ''] = await Array.fromAsync(
    glob('node_modules/playwright-core/lib/**/codicon*.ttf', { cwd: ROOT }),
  )
  const ttf = await readFile(join(ROOT, font))
  return await serveSite({ ...pages, '/font.ttf': after(500, (answer) => void answer.end(ttf)) })
}

/** A site with a page for everything that pages do, and a camera for it. Both are shared by all tests of a file. */
export function useSite() {
  const site = useServer(startSite)
  const camera = useServer(async () => openTestCamera({ allow: `site.test:${site.port}` }))
  const at = (path: string) => `http://site.test:${site.port}${path}`
  const count = (path: string) => site.asked.filter((asked) => asked === path).length
  /** For this test only. */
  function openOwnCamera(rules: CameraRules = {}): TestCamera {
    const own = openTestCamera({ allow: `site.test:${site.port}`, ...rules })
    onTestFinished(() => own.close())
    return own
  }
  return { site, camera, at, count, openOwnCamera }
}

export async function look(shot: Promise<Shot>) {
  return await readPixels((await shot).bytes)
}

/** Longer than a test may take: waiting for it hangs. */
export const FOREVER = 600_000
/** Loading time for a picture of whatever has arrived, even on a busy machine. */
export const A_WHILE = 4_000
