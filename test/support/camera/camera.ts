import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import sharp from 'sharp'
import type { FoundBrowser } from '../../../src/camera/browser/browser.ts'
import type { Camera, PageToShoot, Shot } from '../../../src/camera/camera.ts'
import { type CameraOptions, createCamera } from '../../../src/camera/chromium.ts'
import type { OwnOptions } from '../../../src/contract/capture-options.ts'
import { parseAllowList } from '../../../src/egress/allow-list.ts'
import { createGuard, type Gate, type Guard, type Lookup } from '../../../src/egress/guard.ts'
import { findTestBrowser } from '../browser/test-browser.ts'

// A camera for sites on this machine. Nothing here queries DNS, and nothing leaves loopback.

const LIMITS = { height: 16_384, pixels: 67_108_864, bytes: 33_554_432, pageBytes: 100_000_000 }

export interface CameraRules extends Partial<Omit<CameraOptions, 'guard' | 'limits' | 'find'>> {
  /** One browser, or several to try in order. Default: the browser of the tests. */
  readonly find?: () => Promise<FoundBrowser | readonly FoundBrowser[]>
  readonly allow?: string
  /** Default: every name leads to 127.0.0.1, except those in `.nowhere`. */
  readonly lookup?: Lookup
  readonly limits?: Partial<CameraOptions['limits']>
}

export interface Wanted extends OwnOptions, Partial<Pick<PageToShoot, 'loadingTime' | 'projectId'>> {}

export interface TestCamera extends Camera {
  /** The open gates. */
  readonly gates: ReadonlySet<Gate>
  /** All gates that were ever open. */
  readonly gatePorts: readonly number[]
  /** The most gates open together. */
  readonly mostGates: () => number
  take(url: string, wanted?: Wanted, signal?: AbortSignal): Promise<Shot>
}

export function openTestCamera({
  allow = '',
  lookup = toLoopback,
  limits,
  find = findTestBrowser,
  ...rules
}: CameraRules): TestCamera {
  const gates = new Set<Gate>()
  const gatePorts: number[] = []
  let most = 0
  const inner = createGuard({ allow: parseAllowList(allow), lookup })
  const guard: Guard = {
    async openGate(given) {
      const gate = await inner.openGate(given)
      gates.add(gate)
      gatePorts.push(Number(new URL(gate.proxyUrl).port))
      most = Math.max(most, gates.size)
      return {
        proxyUrl: gate.proxyUrl,
        failureOf: gate.failureOf,
        get received() {
          return gate.received
        },
        async close() {
          await gate.close()
          gates.delete(gate)
        },
      }
    },
  }
  const camera = createCamera({
    find: async function* () {
      yield* [await find()].flat()
    },
    concurrency: 6,
    log: { info: () => {}, warn: () => {} },
    ...rules,
    guard,
    limits: { ...LIMITS, ...limits },
  })
  return {
    ...camera,
    gates,
    gatePorts,
    mostGates: () => most,
    take: (url, { loadingTime = 8_000, projectId, ...options } = {}, signal = new AbortController().signal) =>
      camera.shoot(
        {
          ...{ url, loadingTime, ...(projectId !== undefined && { projectId }) },
          options: { width: 1200, height: 720, fullPage: false, ...options },
        },
        signal,
      ),
  }
}

async function toLoopback(name: string): Promise<readonly string[]> {
  if (name.endsWith('.nowhere')) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  return ['127.0.0.1']
}

export type Handler = (answer: ServerResponse, asked: IncomingMessage, url: URL) => void

export interface Site {
  readonly port: number
  /** Requested paths in order. */
  readonly asked: string[]
  /** Connections, including those without a request. */
  connections: number
  close(): Promise<void>
}

/** A text is an HTML page. Any other path is 404. */
export async function serveSite(
  pages: Readonly<Record<string, string | Handler>>,
  { host = '127.0.0.1', port = 0 } = {},
): Promise<Site> {
  const sockets = new Set<Socket>()
  const server = createServer((asked, answer) => {
    const url = new URL(asked.url ?? '/', 'http://site')
    site.asked.push(url.pathname)
    const page = pages[url.pathname] ?? pages['*']
    if (typeof page === 'function') page(answer, asked, url)
    else answer.writeHead(page === undefined ? 404 : 200, HTML).end(page)
  })
  server.on('connection', (socket) => {
    site.connections++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const site: Site = {
    port: (server.address() as AddressInfo).port,
    asked: [],
    connections: 0,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
  return site
}

export const HTML = { 'content-type': 'text/html; charset=utf-8' }

/** A page in one colour, with more content. */
export function paint(colour: string, more = ''): string {
  return `<!doctype html><html style="background:${colour}"><body style="margin:0">${more}</body></html>`
}

/** The colour at a place of a PNG, as `#rrggbb`. */
export async function readPixels(bytes: Buffer) {
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  return {
    width,
    height,
    at(x: number, y: number): string {
      const start = (y * width + x) * channels
      return `#${data.subarray(start, start + 3).toString('hex')}`
    },
  }
}

export interface BrowserProcess {
  readonly pid: number
  /** The type of a process: `browser`, or `renderer`, `zygote`, `gpu-process` … */
  readonly type: string
  readonly zombie: boolean
}

/** The browsers that this process has started: Playwright makes each the leader of a group. */
export function findBrowsers(parent = process.pid): number[] {
  const name = `/proofsheet-browser-${parent}-`
  return processes().flatMap(({ pid, group }) =>
    pid === group && readCommand(pid).includes(name) ? [pid] : [],
  )
}

/** All processes of a browser, including those that outlived it or were never waited for. */
export function processesOf(browser: number): BrowserProcess[] {
  return processes()
    .filter(({ group }) => group === browser)
    .map(({ pid, state }) => ({
      pid,
      type: /--type=([\w-]+)/.exec(readCommand(pid))?.[1] ?? 'browser',
      zombie: state === 'Z',
    }))
}

/** The sockets of a browser and where each leads, as `tcp 127.0.0.1:80`: its real use of the network. */
export function socketsOf(browser: number): string[] {
  const inodes = new Set(processesOf(browser).flatMap(({ pid }) => socketInodes(pid)))
  return ['tcp', 'tcp6', 'udp', 'udp6'].flatMap((kind) =>
    readProc('self', `net/${kind}`)
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => inodes.has(fields[9] ?? ''))
      .map(([, , remote = '']) => `${kind} ${readEndpoint(remote)}`),
  )
}

function socketInodes(pid: number): string[] {
  try {
    const folder = `/proc/${pid}/fd`
    return readdirSync(folder).flatMap(
      (name) => /socket:\[(\d+)\]/.exec(readLink(`${folder}/${name}`))?.[1] ?? [],
    )
  } catch {
    return []
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/** `0100007F:0050`, as Linux lists it. */
function readEndpoint(text: string): string {
  const [address = '', port = ''] = text.split(':')
  const host = address.length === 8 ? [...Buffer.from(address, 'hex')].reverse().join('.') : `[${address}]`
  return `${host}:${Number.parseInt(port, 16)}`
}

/** Profiles of the browsers of a process. */
export function profilesOf(parent = process.pid): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`proofsheet-browser-${parent}-`))
}

function processes(): { pid: number; state: string; group: number }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const [state = '', , group] = (readProc(pid, 'stat').split(') ').at(-1) ?? '').split(' ')
      return state === '' ? [] : [{ pid: Number(pid), state, group: Number(group) }]
    })
}

/** The command line of a process. */
export function readCommand(pid: number): string {
  return readProc(`${pid}`, 'cmdline').replaceAll('\0', ' ')
}

/** Empty if the process has ended meanwhile. */
function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
