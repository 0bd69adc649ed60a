import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import type { RootResult } from '../../src/contract/results.ts'
import { openStorage } from '../../src/service/storage.ts'
import type { NewRoot, RootHead, RootPosition, Store } from '../../src/store/store.ts'
import { startService } from '../support/http/service.ts'
import { runProofsheet, serveProcess } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { PATIENCE_MS } from '../support/runner/patience.ts'
import { chance, pick, random, whole } from '../support/runner/random.ts'
import { rounds } from '../support/runner/rounds.ts'
import { usePostgres, useS3 } from '../support/servers/use-servers.ts'
import { bothWorlds, newWorld } from '../support/servers/worlds.ts'
import { page, writeImport } from '../support/store/import-file.ts'
import {
  type Answer,
  ask,
  comesBefore,
  list,
  NAMES,
  nextPage,
  openReference,
  type Reference,
  renderRoot,
  SHARED_HOST,
  same,
} from '../support/store/reference.ts'
import { makeKey, makeProject, newJob, rootsUrl } from '../support/store/results.ts'

/** The time of random writes and reads in each world. */
const SECONDS = rounds(2)
const WINDOW_MS = 12 * 3_600_000

const postgres = usePostgres()
const s3 = useS3()

const worlds = bothWorlds(postgres, s3)

function randomRoot(projectId: string): NewRoot {
  const rootId = randomUUID()
  // Mostly few jobs, often about a hundred, which is where large roots begin.
  const count = chance(0.7) ? whole(12) : chance(0.5) ? 99 + whole(4) : whole(151)
  const jobs = Array.from({ length: count }, (_, index) =>
    newJob({
      name: pick(NAMES),
      basepath: `/${pick(NAMES)}`,
      url: `https://example.com/${index}?q=${pick(NAMES)}`,
      created: whole(2 ** 41),
      loadingTime: whole(60_000),
      width: 1 + whole(16_000),
      height: 1 + whole(16_000),
    }),
  )
  // Few different times, so that new roots may be anywhere in the list, and many share one.
  return { projectId, rootId, created: 1_700_000_000_000 + whole(20), digest: rootId, jobs }
}

interface Project {
  readonly projectId: string
  readonly key: string
}

/** Two instances of the service, checked against a reference with every answer. */
class Checked {
  readonly #urls: readonly string[]
  readonly #reference: Reference
  /** The body of each ETag of a URL; an ETag may come with a newer body than it says, never with an older one. */
  readonly #given = new Map<string, Map<string, Set<string>>>()
  /** Visible roots never change, so that the reference is asked only once. */
  readonly #texts = new Map<string, string>()
  readonly counts = { answers: 0, conditional: 0, notModified: 0, roots: 0, projects: 0, keys: 0 }

  constructor(urls: readonly string[], reference: Reference) {
    this.#urls = urls
    this.#reference = reference
  }

  get urls(): readonly string[] {
    return this.#urls
  }

  async texts(projectId: string, heads: readonly RootHead[], origin: string, now: number): Promise<string[]> {
    const { tag } = await this.#reference.addresses({ now, origin })
    const name = ({ rootId }: RootHead) => `${tag} ${rootId}`
    const missing = heads.filter((head) => !this.#texts.has(name(head)))
    const made = await this.#reference.texts(projectId, missing, { now, origin })
    for (const [index, head] of missing.entries()) this.#texts.set(name(head), made[index] ?? '')
    return heads.map((head) => this.#texts.get(name(head)) ?? '')
  }

  /** The bodies that are right for a request from `began` until now: two if a window ended meanwhile. */
  async #bodies(
    projectId: string,
    heads: readonly RootHead[],
    { origin, began, join: joined }: { origin: string; began: number; join: (roots: string[]) => string },
  ): Promise<string[]> {
    const first = joined(await this.texts(projectId, heads, origin, began))
    const second = joined(await this.texts(projectId, heads, origin, Date.now()))
    return first === second ? [first] : [first, second]
  }

  #condition(path: string, conditional: boolean): [string, ReadonlySet<string>] | [undefined] {
    const given = [...(this.#given.get(path) ?? [])]
    // The latest ones may still hold.
    const [etag, bodies] = (chance(0.7) ? given.at(-1) : pick(given.slice(-10))) ?? []
    return conditional && etag && bodies ? [etag, new Set(bodies)] : [undefined]
  }

  #remember(path: string, { etag, body }: Answer): void {
    const given = this.#given.get(path) ?? new Map<string, Set<string>>()
    this.#given.set(path, given)
    const bodies = given.get(etag) ?? new Set()
    given.delete(etag)
    given.set(etag, bodies.add(body))
    // Whole bodies: only the latest few are kept.
    for (const old of [...given.keys()].slice(0, -12)) given.delete(old)
  }

  #prepare(url: string, path: string, { key }: Project, conditional: boolean) {
    const host = chance(0.5) ? SHARED_HOST : new URL(url).host
    const [etag, bodies] = this.#condition(path, conditional)
    const began = Date.now()
    return { origin: `http://${host}`, began, etag, bodies, send: () => ask(url + path, { host, etag, key }) }
  }

  #count({ status }: Answer, etag: string | undefined): void {
    this.counts.answers++
    if (etag) this.counts.conditional++
    if (status === 304) this.counts.notModified++
  }

  /** One visible root. */
  async root(url: string, project: Project, head: RootHead, conditional = chance(0.5)): Promise<void> {
    const { projectId } = project
    const path = `${rootsUrl(projectId)}/${head.rootId}`
    const { origin, began, etag, bodies, send } = this.#prepare(url, path, project, conditional)
    const answer = await send()
    this.#count(answer, etag)
    const wanted = await this.#bodies(projectId, [head], { origin, began, join: ([root = '']) => root })
    if (answer.status === 304) {
      expect(etag).toBe(answer.etag)
      for (const body of bodies ?? []) same(body, wanted, `304 for ${path}`)
      return
    }
    expect(answer.status).toBe(200)
    same(answer.body, wanted, path)
    this.#remember(path, answer)
  }

  /** The list, or its list pages from the first on. Returns the ids in it, none for a 304. */
  async list(
    url: string,
    project: Project,
    {
      limit,
      pages = 1,
      conditional = chance(0.5),
    }: { limit?: number; pages?: number; conditional?: boolean } = {},
  ): Promise<string[] | undefined> {
    const { projectId } = project
    let path: string | undefined = rootsUrl(projectId) + (limit === undefined ? '' : `?limit=${limit}`)
    let from: RootPosition | undefined
    const ids: string[] = []
    for (let turn = 0; turn < pages && path !== undefined; turn++) {
      const after = from
      const roots = async () =>
        (await this.#reference.roots(projectId)).filter((head) => !after || comesBefore(after, head))
      const { origin, began, etag, bodies, send } = this.#prepare(url, path, project, conditional)
      const before = await roots()
      const answer = await send()
      this.#count(answer, etag)
      if (answer.status === 304) {
        // No body with this ETag may differ from this one: see the order of the readings above.
        expect(etag).toBe(answer.etag)
        const wanted = await this.#bodies(projectId, before.slice(0, limit), { origin, began, join: list })
        for (const body of bodies ?? []) same(body, wanted, `304 for ${path}`)
        return undefined
      }
      expect(answer.status).toBe(200)
      const afterwards = new Map((await roots()).map((head) => [head.rootId, head]))
      const heads = (JSON.parse(answer.body) as RootResult[]).map(({ rootId }) => {
        const head = afterwards.get(rootId)
        if (!head) throw new Error(`${path} holds ${rootId}, which is not there`)
        return head
      })
      const order = [...afterwards.values()].filter((head) => heads.includes(head))
      expect(heads.map(({ rootId }) => rootId)).toEqual(order.map(({ rootId }) => rootId))
      // Everything that was there before, as far as the answer goes.
      const last = heads.length === limit ? heads.at(-1) : undefined
      const given = new Set(heads.map(({ rootId }) => rootId))
      const lost = before.filter((head) => !given.has(head.rootId) && (!last || comesBefore(head, last)))
      expect(lost.map(({ rootId }) => rootId)).toEqual([])
      if (limit !== undefined) {
        expect(heads.length).toBeLessThanOrEqual(limit)
        if (before.length > limit) expect(answer.link).toBeDefined()
        if (afterwards.size <= limit) expect(answer.link).toBeUndefined()
      }
      same(answer.body, await this.#bodies(projectId, heads, { origin, began, join: list }), path)
      this.#remember(path, answer)
      ids.push(...given)
      from = heads.at(-1)
      path = nextPage(answer)
    }
    return ids
  }

  async heads(projectId: string): Promise<RootHead[]> {
    return await this.#reference.roots(projectId)
  }

  /** A write is in the very next answer of each instance, and in no answer before it is visible. */
  async add(store: Store, project: Project): Promise<void> {
    const { projectId, key } = project
    const root = randomRoot(projectId)
    const path = `${rootsUrl(projectId)}/${root.rootId}`
    const publish = async () => {
      if (chance(0.5)) await sleep(whole(20))
      for (const url of this.#urls) expect((await ask(url + path, { key })).status).toBe(404)
    }
    expect(await store.addRoot(root, publish)).toBe('added')
    this.counts.roots++
    const firstThing = async (url: string) => {
      if (chance(0.5)) {
        // Compared with the written data, not only with the data read back.
        const { host, origin } = new URL(url)
        const now = Date.now()
        const answer = await ask(url + path, { key, host })
        expect(answer.status).toBe(200)
        const texts = [now, Date.now()].map(async (at) =>
          renderRoot(root, root.jobs, await this.#reference.addresses({ now: at, origin })),
        )
        same(answer.body, await Promise.all(texts), path)
      } else {
        // No earlier ETag can hold any more.
        expect(await this.list(url, project, { conditional: chance(0.8) })).toContain(root.rootId)
      }
    }
    await Promise.all(this.#urls.map(firstThing))
  }

  /** A new project exists at once, for each instance. */
  async create(store: Store): Promise<Project> {
    const projectId = await makeProject(store)
    const { secret: key } = await makeKey(store, projectId)
    const answers = await Promise.all(this.#urls.map((url) => ask(url + rootsUrl(projectId), { key })))
    for (const { status, body } of answers) expect([status, body]).toEqual([200, '[]'])
    this.counts.projects++
    return { projectId, key }
  }

  /** A key works from its creation on, and not for one request longer than it exists. */
  async lend(store: Store, { projectId }: Project): Promise<void> {
    const { secret: key, keyId } = await makeKey(store, projectId)
    const statuses = () =>
      Promise.all(
        this.#urls.map(async (url) => (await ask(`${url}${rootsUrl(projectId)}?limit=1`, { key })).status),
      )
    expect(await statuses()).toEqual(this.#urls.map(() => 200))
    await store.revokeKey(keyId, Date.now())
    expect(await statuses()).toEqual(this.#urls.map(() => 401))
    this.counts.keys++
  }
}

/** The least number of everything that makes the comparison meaningful, however slow the machine. */
function isEnough({ answers, notModified, conditional, roots, keys }: Checked['counts']): boolean {
  return answers > 50 && notModified > 5 && conditional > notModified && roots > 10 && keys > 0
}

describe('two instances with random writes and reads', () => {
  test.each(worlds)(
    '%s: every answer equals a plain read of the store',
    async (world, newEnv) => {
      const folder = await makeFolder()
      const env = { DATA_DIR: join(folder, 'data'), AUTH: 'keys', ...(await newEnv()) }
      const instances = await Promise.all([serveProcess(env), serveProcess(env)])
      const reference = await openReference(env)
      const { store, close } = await openStorage(readConfig({ PORT: '0', ...env }))
      onTestFinished(close)
      const checked = new Checked(
        instances.map(({ url }) => url),
        reference,
      )
      const first = await checked.create(store)
      const projects = [first, await checked.create(store)]

      let over = false
      const end = Date.now() + SECONDS * 1_000
      const repeat = async (step: () => Promise<void>, pauseMs: number) => {
        try {
          while (
            !over &&
            (Date.now() < end || (!isEnough(checked.counts) && Date.now() < end + PATIENCE_MS))
          ) {
            await step()
            await sleep(whole(pauseMs))
          }
        } catch (error) {
          over = true
          throw error
        }
      }
      const write = async () => {
        if (chance(0.8)) await checked.add(store, pick(projects))
        else if (chance(0.9) || projects.length > 2) await checked.lend(store, pick(projects))
        else projects.push(await checked.create(store))
      }
      const read = async () => {
        const url = pick(checked.urls)
        const project = pick(projects)
        const kind = random()
        if (kind < 0.3) await checked.list(url, project)
        else if (kind < 0.6) await checked.list(url, project, { limit: 1 + whole(30), pages: 1 + whole(4) })
        else {
          const heads = await checked.heads(project.projectId)
          // Some roots are read repeatedly, so that they are cached.
          const head = pick(chance(0.5) ? heads.slice(-3) : heads)
          if (head) await checked.root(url, project, head)
        }
      }
      /** Another process that writes, with pictures. */
      const importOthers = async () => {
        const lines = Array.from({ length: 12 }, (_, index) => ({
          rootId: randomUUID(),
          created: 1_700_000_000_000 + whole(20),
          jobs: Array.from({ length: 1 + whole(2) }, () => page({ basepath: `/${index}` })),
        }))
        const file = await writeImport(folder, lines)
        const { code, stderr } = await runProofsheet(['import', '--project', first.projectId, file], env)
        if (code !== 0) throw new Error(`the import failed: ${stderr}`)
        for (const url of checked.urls) {
          const ids = await checked.list(url, first, { conditional: false })
          for (const { rootId } of lines) expect(ids).toContain(rootId)
        }
      }
      const loops = [
        repeat(write, 150),
        repeat(write, 150),
        repeat(read, 20),
        repeat(read, 20),
        repeat(read, 20),
        repeat(importOthers, 4_000),
      ]
      const failed = (await Promise.allSettled(loops)).find((loop) => loop.status === 'rejected')
      if (failed) throw failed.reason

      // Nothing is written any more: both must be equal to the byte.
      let jobs = 0
      for (const { projectId, key } of projects) {
        const heads = await checked.heads(projectId)
        jobs += heads.reduce((sum, { jobCount }) => sum + jobCount, 0)
        const now = Date.now()
        const answers = []
        for (const host of [undefined, SHARED_HOST]) {
          for (const url of checked.urls) {
            const answer = await ask(url + rootsUrl(projectId), { key, host })
            const origin = host === undefined ? url : `http://${host}`
            const wanted = [now, Date.now()].map(async (at) =>
              list(await reference.texts(projectId, heads, { now: at, origin })),
            )
            same(answer.body, await Promise.all(wanted), `the list of ${projectId} at the end`)
            if (host) answers.push(answer)
          }
        }
        const [mine, theirs] = answers
        if (Math.floor(now / WINDOW_MS) === Math.floor(Date.now() / WINDOW_MS)) {
          expect(theirs).toEqual(mine)
          for (const url of checked.urls) {
            const again = await ask(url + rootsUrl(projectId), { key, host: SHARED_HOST, etag: mine?.etag })
            expect([again.status, again.body]).toEqual([304, ''])
          }
        }
      }
      const { counts } = checked
      expect([counts, isEnough(counts)]).toEqual([counts, true])
      process.stderr.write(
        `${world}: ${counts.answers} answers agree, ${counts.notModified} of ${counts.conditional} with an ETag were 304; ${counts.roots} roots added and more imported, ${jobs} jobs, ${counts.projects} projects, ${counts.keys} keys lent\n`,
      )
    },
    SECONDS * 1_000 + 300_000,
  )
})

/** Stands before a server on 127.0.0.1 and delays its answers. */
async function startSlowly(target: number, delayMs: number): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    client.pipe(upstream)
    // Timers of the same length fire in order.
    upstream.on('data', (chunk) => setTimeout(() => client.write(chunk), delayMs))
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

describe('a database that answers slowly', () => {
  test('never gives a client the result of a query that began before an earlier write', async () => {
    const world = await newWorld(postgres, s3)
    const late = new URL(world.DATABASE_URL)
    late.port = String(await startSlowly(postgres.port, 30))
    const service = await startService({ ...world, DATABASE_URL: late.href })
    const { store, close } = await openStorage(readConfig({ PORT: '0', ...world }))
    onTestFinished(close)
    const projectId = await makeProject(store)
    const path = rootsUrl(projectId)
    let rootId = randomUUID()
    let over = false
    // Look-ups of the same things are under way at any time.
    const others = Array.from({ length: 4 }, async (_, index) => {
      while (!over) await ask(service.url + path + (index % 2 === 0 ? '' : `/${rootId}`))
    })
    try {
      let etag = (await ask(service.url + path)).etag
      for (let count = 1; count <= 15; count++) {
        rootId = randomUUID()
        await sleep(whole(60))
        await store.addRoot(
          { projectId, rootId, created: count, digest: 'd', jobs: [newJob()] },
          async () => {},
        )
        const [one, all] = await Promise.all([
          ask(`${service.url}${path}/${rootId}`),
          ask(service.url + path, { etag }),
        ])
        expect([count, one.status, all.status]).toEqual([count, 200, 200])
        expect(JSON.parse(all.body)).toHaveLength(count)
        etag = all.etag
      }
    } finally {
      over = true
      await Promise.all(others)
    }
  })
})
