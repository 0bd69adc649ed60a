import { setTimeout as sleep } from 'node:timers/promises'
import { rootsPath } from '../src/contract/paths.ts'
import type { RootResult } from '../src/contract/results.ts'
import { COLOURED, servePages } from '../test/support/camera/pages.ts'
import { askFor } from '../test/support/http/ask-for.ts'
import { serveProcess } from '../test/support/processes/process.ts'
import { until } from '../test/support/runner/until.ts'
import { compare } from './audit.ts'
import type { Outcome } from './outcome.ts'
import type { Installation } from './worlds.ts'

const PAGES = 2
const ASK_MS = 400
const READ_MS = 50
const BETWEEN_MS = 4_000

export type Service = Awaited<ReturnType<typeof serveProcess>>

/** The running services. Faults may change them. */
export interface Load {
  /** The services that get requests, one after the other. Stopped ones are removed. */
  readonly services: Service[]
  start(): Promise<Service>
}

/**
 * Requests pages and reads the list all the time, while `make` makes the fault so often. Then it waits until everything acknowledged
 * is captured, and checks all of it. A refused request is no failure, a wrong answer is one.
 */
export async function underLoad(
  newInstallation: (more: Record<string, string>) => Promise<Installation>,
  times: number,
  make: (load: Load) => Promise<void>,
): Promise<Omit<Outcome, 'world'>> {
  const site = await servePages((_path, response) => void setTimeout(() => response.end(COLOURED), 100))
  const installation = await newInstallation({
    CAPTURE_ALLOW: `127.0.0.1:${site.port}`,
    CAPTURE_CONCURRENCY: '2',
  })
  const services: Service[] = []
  const start = async () => {
    const service = await serveProcess(installation.env, installation.wrapper)
    services.push(service)
    void service.ended.then(() => services.splice(services.indexOf(service), 1))
    return service
  }
  await start()
  const acknowledged: string[] = []
  let [isOver, asked, refused, failedReads, reads] = [false, 0, 0, 0, 0]
  const next = () => services[asked++ % services.length]?.url

  const asking = async () => {
    for (; !isOver; await sleep(ASK_MS)) {
      const url = next()
      if (url === undefined) continue
      const urls = Array.from({ length: PAGES }, (_, index) => ({ url: `${site.url}/${index}`, name: 'x' }))
      await askFor(url, installation.projectId)
        .post(urls)
        .then(
          (rootId) => acknowledged.push(rootId),
          () => refused++,
        )
    }
  }
  const reading = async () => {
    for (; !isOver; await sleep(READ_MS)) {
      const url = next()
      const known = [...acknowledged]
      if (url === undefined) continue
      const answer = await readList(url + rootsPath(installation.projectId))
      reads++
      if (answer === 'wrong' || (answer instanceof Set && known.some((id) => !answer.has(id)))) failedReads++
    }
  }
  const load = [asking(), reading()]
  for (let time = 0; time < times; time++) {
    await sleep(BETWEEN_MS)
    await make({ services, start })
  }
  const ended = performance.now()
  while (!((await readList(`${next()}${rootsPath(installation.projectId)}`)) instanceof Set)) await sleep(20)
  const recoverySeconds = (performance.now() - ended) / 1_000
  isOver = true
  await Promise.all(load)
  for (const rootId of acknowledged) await askFor(next() ?? '', installation.projectId).finished(rootId)
  for (const { pid, ended: gone } of [...services]) {
    process.kill(pid, 'SIGTERM')
    await gone
  }
  const { found, done } = await compare(installation, acknowledged)
  const note = `${done} pages done, ${reads} reads, ${refused} requests refused`
  return { times, ...found, failedReads, recoverySeconds, note }
}

/** Waits until `/readyz` of every service answers so: `ok`, or the code of what is wrong. */
export async function untilReadiness({ services }: Pick<Load, 'services'>, expected: string): Promise<void> {
  for (const { url } of [...services]) {
    const read = async () => {
      const answer = await fetch(`${url}/readyz`).catch(() => undefined)
      const { status, code } = ((await answer?.json()) ?? {}) as { status?: string; code?: string }
      return answer?.status === 200 ? status : code
    }
    await until(async () => (await read()) === expected, `/readyz says ${expected}, not ${await read()}`)
  }
}

/** The roots of a complete list; `refused` if the service refused; `wrong` for anything else. */
async function readList(url: string): Promise<Set<string> | 'refused' | 'wrong'> {
  const response = await fetch(url).catch(() => undefined)
  if (!response || response.status === 503) return 'refused'
  if (response.status !== 200) return 'wrong'
  const text = await response.text().catch(() => undefined)
  // It broke off, and the client can see that.
  if (text === undefined) return 'refused'
  try {
    return new Set((JSON.parse(text) as RootResult[]).map(({ rootId }) => rootId))
  } catch {
    return 'wrong'
  }
}
