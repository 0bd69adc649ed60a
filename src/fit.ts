import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Config } from './config/config.ts'
import { AppError } from './errors.ts'
import { pictureKey } from './images/images.ts'
import type { Storage } from './storage.ts'
import { walkRoots } from './store/walk-roots.ts'

const STORE = 'store'
/** Results whose pictures are looked for, where nothing else tells. */
const PROJECTS = 10
const ROOTS = 3

export interface FitOptions {
  /** The database is made here and now, for pictures that may be there already. */
  readonly isCopy?: boolean
  /** What fits, but could not be written down. */
  readonly onUnwritten?: (error: unknown) => void
}

/**
 * Database, pictures and signing keys are parts of one store: it has an id, made once and kept with the database and with the
 * pictures, and the database knows the keys. Throws `storage_failed`, with what to do, where they are parts of different ones.
 */
export async function requireFit(
  storage: Storage,
  config: Config,
  { isCopy = false, onUnwritten }: FitOptions = {},
): Promise<void> {
  const keep = async (write: () => Promise<void>) => {
    await write().catch((error) => {
      // Who may only read, and who has no room, serves what there is; the next start writes it down.
      if (!(error instanceof AppError) || error instanceof Misfit || !onUnwritten) throw error
      onUnwritten(error)
    })
  }
  if (!(await haveSameId(storage))) {
    const fits = isCopy || (await fitTogether(storage))
    // Another process may have begun at the same time, and have got further.
    if (!fits && !(await haveSameId(storage))) throw await misfit(storage, config)
    await keep(() => keepIds(storage, config))
  }
  await requireOwnKeys(storage, config)
  await keep(() => keepKeys(storage))
}

class Misfit extends AppError {
  constructor(message: string) {
    super('storage_failed', message)
  }
}

async function readIds({ store, images }: Storage): Promise<(string | undefined)[]> {
  return await Promise.all([store.findIdentity(STORE), images.findStoreId()])
}

async function haveSameId(storage: Storage): Promise<boolean> {
  const [ours, theirs] = await readIds(storage)
  return ours !== undefined && ours === theirs
}

/** Whether they may be given one id: at least one of them has none. */
async function fitTogether(storage: Storage): Promise<boolean> {
  const [ours, theirs] = await readIds(storage)
  if (ours !== undefined && theirs !== undefined) return false
  const found = await findAnyPicture(storage)
  if (found === 'there') return true
  const holdsAny = await storage.images.holdsAny()
  // Pictures without results, of projects that are known: a process was killed before its first result was written.
  if (found === 'no results') return !holdsAny || (await holdsAnyOfKnown(storage))
  // There are results, and not one of these has its picture. An empty place may be a new one, if nobody had another.
  return !holdsAny && ours === undefined && theirs === undefined
}

async function findAnyPicture({ store, images }: Storage): Promise<'there' | 'missing' | 'no results'> {
  let any = false
  for (const { projectId } of await store.listProjects({ limit: PROJECTS })) {
    for (const rootId of await newestWithJobs(store, projectId)) {
      for (const { uuid } of await store.pageJobs(projectId, rootId, { from: 0, limit: 1 })) {
        any = true
        // One that is damaged belongs here all the same.
        if ((await images.condition(pictureKey(projectId, uuid))) !== 'missing') return 'there'
      }
    }
  }
  return any ? 'missing' : 'no results'
}

/** The newest may have none: whatever was asked for and is not captured yet. */
async function newestWithJobs(store: Storage['store'], projectId: string): Promise<string[]> {
  const found: string[] = []
  for await (const { heads } of walkRoots(store, projectId)) {
    found.push(...heads.filter(({ jobCount }) => jobCount > 0).map(({ rootId }) => rootId))
    if (found.length >= ROOTS) break
  }
  return found.slice(0, ROOTS)
}

async function holdsAnyOfKnown({ store, images }: Storage): Promise<boolean> {
  for (const { projectId } of await store.listProjects({ limit: PROJECTS })) {
    for await (const some of images.walk(projectId)) if (some.length > 0) return true
  }
  return false
}

async function keepIds(storage: Storage, config: Config): Promise<void> {
  const [, theirs] = await readIds(storage)
  const ours = await storage.store.keepIdentity(STORE, theirs ?? randomUUID())
  if ((await storage.images.keepStoreId(ours)) !== ours) throw await misfit(storage, config)
}

async function misfit(storage: Storage, config: Config): Promise<Misfit> {
  const { store } = storage
  const { database, images } = describe(config)
  if ((await store.listProjects({ limit: 1 })).length === 0) {
    return new Misfit(
      `there are pictures in ${images}, but their database is not there: ${database} is new or empty. It may have been deleted, ` +
        'or DATA_DIR, DATABASE_URL or IMAGES_URL may name another place. To go on with what was there, put the database back from ' +
        `a backup. To begin anew on purpose, move ${images} away or name another place with IMAGES_URL.`,
    )
  }
  // From now on it has one, so that whoever knows better can say so.
  const ours = await store.keepIdentity(STORE, randomUUID())
  const [, theirs] = await readIds(storage)
  return new Misfit(
    `the database (${database}) and the pictures (${images}) are not parts of one store: ` +
      (theirs === undefined
        ? 'the pictures of its results are not there.'
        : `their ids are ${ours} and ${theirs}.`) +
      ' DATA_DIR, DATABASE_URL or IMAGES_URL may name another place, or a disk is not mounted. To go on, name both parts of one ' +
      'store, or put the missing one back from a backup. If they do belong together, write the id of the database into ' +
      `${images}/.store: ${ours}`,
  )
}

/** An id of a key names one key for as long as the store is there. */
async function requireOwnKeys({ store, signingKeys }: Storage, config: Config): Promise<void> {
  for (const { id, fingerprint } of signingKeys) {
    const known = await store.findIdentity(nameOfKey(id))
    if (known === undefined || known === fingerprint) continue
    const where = config.signingKeys ? 'SIGNING_KEYS' : join(config.dataDir, 'signing-keys')
    throw new Misfit(
      `the signing keys (${where}) are not those of this store (${describe(config).database}): it knows another key by the id ` +
        `${id}. To go on, put the right keys back from a backup. To sign with new ones on purpose, give them an id that was not ` +
        'used before, such as k2; addresses of pictures that were handed out before end then.',
    )
  }
}

async function keepKeys({ store, signingKeys }: Storage): Promise<void> {
  for (const { id, fingerprint } of signingKeys) {
    if ((await store.findIdentity(nameOfKey(id))) === undefined)
      await store.keepIdentity(nameOfKey(id), fingerprint)
  }
}

function nameOfKey(id: string): string {
  return `signing-key ${id}`
}

function describe({ database, images }: Config): { database: string; images: string } {
  return {
    database: database.kind === 'sqlite' ? database.path : 'DATABASE_URL',
    images: images.kind === 's3' ? `s3://${images.bucket}/${images.prefix}`.replace(/\/$/, '') : images.path,
  }
}
