import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'

/** The one account of the server, which verifies every signature against it. */
export const S3_CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' }

export interface TestS3 {
  readonly port: number
  readonly bucket: string
  /** For IMAGES_URL. Each call names another prefix. */
  newPlace(): string
  /** Runs instead of the server if it returns true. */
  interfere: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  readonly requests: { readonly method: string; readonly path: string; readonly host: string }[]
  close(): Promise<void>
}

let places = 0
let lastOfStore: Promise<unknown> = Promise.resolve()

/** An S3 server on 127.0.0.1 with one bucket. Call `close`. */
export async function startS3(bucket = 'shots'): Promise<TestS3> {
  const directory = await mkdtemp(join(tmpdir(), 'proofsheet-s3-'))
  const s3 = new S3rver({ directory, silent: true, configureBuckets: [{ name: bucket }] })
  await s3.configureBuckets()
  const handle = s3.callback()
  // The server ignores the slash after the name of a bucket, and so refuses every list that is requested by this URL.
  const lists = new S3rver({ directory, silent: true, allowMismatchedSignatures: true }).callback()
  const server: Server = createServer((request, response) => {
    test.requests.push({
      method: request.method ?? '',
      path: request.url ?? '',
      host: request.headers.host ?? '',
    })
    if (test.interfere?.(request, response)) return
    const isList = request.method === 'GET' && request.url?.startsWith(`/${bucket}/?`)
    const answer = () => (isList ? lists : handle)(request, response)
    if (!request.url?.includes('/.store')) return answer()
    // The server empties an object before it overwrites it, which S3 does not: a reader then gets nothing, or half of it.
    lastOfStore = lastOfStore.then(() => {
      const closed = once(response, 'close')
      answer()
      return closed
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const test: TestS3 = {
    port,
    bucket,
    newPlace: () => `s3://${bucket}/place-${places++}?endpoint=http://127.0.0.1:${port}&region=eu-central-1`,
    interfere: undefined,
    requests: [],
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(directory, { recursive: true, force: true })
    },
  }
  return test
}
