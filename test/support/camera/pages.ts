import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'
import { onTestFinished } from 'vitest'

export interface Site {
  readonly port: number
  readonly url: string
  /** The requested paths, in order. */
  readonly asked: string[]
}

/** Pages on a free port of 127.0.0.1, until the test is over. */
export async function servePages(
  answer: (path: string, response: ServerResponse, request: IncomingMessage) => void,
): Promise<Site> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    asked.push(path)
    response.setHeader('content-type', 'text/html; charset=utf-8')
    answer(path, response, request)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}`, asked }
}

/** Orange, with a blue quarter at the lower right and a green square at the upper left. */
export const COLOURED = `<!doctype html><title>Colours</title><body style="margin:0;background:#ff8800">
<div style="position:absolute;left:600px;top:360px;width:600px;height:360px;background:#0000ff"></div>
<div style="position:absolute;left:0;top:0;width:100px;height:100px;background:#00aa00"></div>`

/** `#rrggbb` at each of these places of a picture. */
export async function coloursAt(
  png: Uint8Array,
  ...places: (readonly [number, number])[]
): Promise<string[]> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return places.map(([x, y]) => {
    const at = (y * info.width + x) * info.channels
    return `#${data.subarray(at, at + 3).toString('hex')}`
  })
}
