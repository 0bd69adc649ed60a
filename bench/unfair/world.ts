import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Storage } from '../../src/service/storage.ts'
import { makeKey, makePng, makeProject, newJob } from '../../test/support/store/results.ts'
import type { Tree } from './tree.ts'

export type EngineName = 'SQLite' | 'PostgreSQL'

export interface Party {
  readonly projectId: string
  readonly read: string
  readonly write: string
}

/** A store with a project of the victim and one of the attacker. Pictures are in a folder. */
export interface World {
  readonly engine: EngineName
  readonly env: Record<string, string>
  /** Opened with the code of the same checkout as the service. */
  readonly storage: Storage
  readonly victim: Party & { readonly rootId: string }
  readonly attacker: Party
  /** Pages to capture. */
  readonly site: string
  close(): Promise<void>
}

export async function makeWorld(
  tree: Tree,
  {
    engine,
    folder,
    databaseUrl,
    site,
  }: { engine: EngineName; folder: string; databaseUrl: string | undefined; site: string },
): Promise<World> {
  const dataDir = await mkdtemp(join(folder, 'data-'))
  const env = {
    DATA_DIR: dataDir,
    CAPTURE_ALLOW: new URL(site).host,
    ...(process.env['CHROMIUM_PATH'] && { CHROMIUM_PATH: process.env['CHROMIUM_PATH'] }),
    ...(databaseUrl && {
      DATABASE_URL: databaseUrl,
      SIGNING_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    }),
  }
  const storage = await tree.openStorage(tree.readConfig(env))
  const victim = await makeParty(storage)
  const [rootId = ''] = await Promise.all([10, 10, 10].map((jobs) => addLargeRoot(storage, victim, jobs)))
  const attacker = await makeParty(storage)
  return { engine, env, storage, victim: { ...victim, rootId }, attacker, site, close: () => storage.close() }
}

async function makeParty({ store }: Storage): Promise<Party> {
  const projectId = await makeProject(store)
  const [read, write] = [await makeKey(store, projectId), await makeKey(store, projectId, 'write')]
  return { projectId, read: read.secret, write: write.secret }
}

/** Like an import, but without pictures. */
export async function addLargeRoot({ store }: Storage, { projectId }: Party, size: number): Promise<string> {
  const rootId = randomUUID()
  const created = Date.now()
  const jobs = Array.from({ length: size }, (_, index) =>
    newJob({ created, url: `https://example.com/section/page-${index}`, name: `Page ${index}` }),
  )
  await store.addRoot({ projectId, rootId, created, digest: rootId, jobs }, async () => {})
  return rootId
}

/** Stores the same picture for each job. */
export async function addPictures({ env, storage }: World, { projectId }: Party, rootId: string) {
  const folder = join(env['DATA_DIR'] ?? '', 'images', projectId)
  await mkdir(folder, { recursive: true })
  const one = join(folder, 'one')
  await writeFile(one, await makePng(640, 480))
  for (const { uuid } of await storage.store.jobsOf(projectId, [rootId])) {
    await link(one, join(folder, `${uuid}.png`))
  }
}

/** A request whose pages wait and are not captured. */
export async function addWaitingRoot(
  { store }: Storage,
  { projectId }: Party,
  { pages, addressBytes }: { pages: number; addressBytes: number },
): Promise<string> {
  const rootId = randomUUID()
  const now = Date.now()
  await store.captures.accept({
    projectId,
    rootId,
    created: now,
    digest: rootId,
    idempotencyKey: undefined,
    options: { width: 1200, height: 720, fullPage: false, tags: [] },
    pages: Array.from({ length: pages }, (_, index) => ({
      url: `https://example.com/${index}/`.padEnd(addressBytes, 'x'),
      name: `Page ${index}`,
      loadingTime: 15_000,
    })),
    heldUntil: now + 86_400_000,
  })
  return rootId
}
