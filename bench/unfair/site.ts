import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Random pixels, as many as the largest picture has: their PNG is large. */
const NOISE = `<!doctype html><title>Noise</title><body style="margin:0"><canvas width="4096" height="16384" style="display:block"></canvas><script>
const context = document.querySelector('canvas').getContext('2d')
let seed = 1
for (let y = 0; y < 16384; y += 256) {
  const strip = context.createImageData(4096, 256)
  const pixels = new Uint32Array(strip.data.buffer)
  for (let index = 0; index < pixels.length; index++) {
    seed ^= seed << 13; seed ^= seed >>> 17; seed ^= seed << 5
    pixels[index] = seed | 0xff000000
  }
  context.putImageData(strip, 0, y)
}
</script>`

/** A page that moves, and waits for an answer that never comes. */
const RESTLESS = `<!doctype html><title>Restless</title><img src="/never"><p id="p">0<script>
setInterval(() => { p.textContent = Math.random() }, 30)
</script>`

const ENDLESS = '<!doctype html><title>Endless</title><p>Before<script>for (;;);</script>'
const SMALL = '<!doctype html><title>Small</title><h1>A small page</h1>'

const PAGES: Readonly<Record<string, string>> = {
  '/noise': NOISE,
  '/restless': RESTLESS,
  '/endless': ENDLESS,
}

/** Serves the pages to capture on a free port of 127.0.0.1. */
export async function serveSite(): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    if (path === '/never') return
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(PAGES[path] ?? SMALL)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
