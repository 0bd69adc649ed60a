import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { AppError } from '../errors.ts'
import { filesOf } from '../images/images.ts'
import { walkRoots } from '../store/walk-roots.ts'
import type { Storage } from './storage.ts'

const STORE = 'store'
/** How many results are checked for their pictures, if there is no id to compare. */
const PROJECTS = 10
const ROOTS = 3

export interface MatchOptions {
  /** The database is new, but the pictures may be there already. */
  readonly isCopy?: boolean
  /** Called if everything fits, but the id could not be written. */
  readonly onUnwritten?: (error: unknown) => void
}

/**
 * Checks that database, pictures and keys belong to one store. A store has an id, which is kept in the database and beside
 * the pictures. The database also knows fingerprints of the keys. Throws `storage_failed`, with what to do, if they do not fit.
 */
export async function requireMatching(
  storage: Storage,
  config: Config,
  { isCopy = false, onUnwritten }: MatchOptions = {},
): Promise<void> {
  const keep = async (write: () => Promise<void>) => {
    await write().catch((error) => {
      // The storage may be read-only or full: serve what is there. The next start tries to write again.
      if (!(error instanceof AppError) || error instanceof Misfit || !onUnwritten) throw error
      onUnwritten(error)
    })
  }
  if (!(await haveSameId(storage))) {
    const fits = isCopy || (await fitTogether(storage))
    // Another process may have done the same at the same time.
    if (!fits && !(await haveSameId(storage))) throw await misfit(storage, config)
    await keep(() => keepIds(storage, config))
  }
  await requireOwnKeys(storage, config)
  await keep(() => keepKeys(storage, config))
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

/** Whether they may get the same id. At least one of them has none. */
async function fitTogether(storage: Storage): Promise<boolean> {
  const [ours, theirs] = await readIds(storage)
  if (ours !== undefined && theirs !== undefined) return false
  const found = await findAnyPicture(storage)
  if (found === 'there') return true
  const holdsAny = await storage.images.holdsAny()
  // Pictures without results, of known projects: a process was killed before its first result was written.
  if (found === 'no results') return !holdsAny || (await holdsAnyOfKnown(storage))
  // No result has its picture. Pictures that are empty and have no id may be a new folder.
  return !holdsAny && ours === undefined && theirs === undefined
}

async function findAnyPicture({ store, images }: Storage): Promise<'there' | 'missing' | 'no results'> {
  let any = false
  for (const { projectId } of await store.listProjects({ limit: PROJECTS })) {
    for (const rootId of await newestWithJobs(store, projectId)) {
      for (const job of await store.pageJobs(projectId, rootId, { from: 0, limit: 1 })) {
        any = true
        // A damaged picture also shows that they belong together.
        if ((await images.condition(filesOf(projectId, job).picture)) !== 'missing') return 'there'
      }
    }
  }
  return any ? 'missing' : 'no results'
}

/** The newest roots may have no jobs: their pages are not captured yet. */
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
        'or DATA_DIR, DATABASE_URL or IMAGES_URL may be wrong. To continue with the old data, restore the database from ' +
        `a backup. To start from nothing, move ${images} away or set IMAGES_URL to another folder or bucket.`,
    )
  }
  // The database gets an id now, so that the operator can write the same id beside the pictures.
  const ours = await store.keepIdentity(STORE, randomUUID())
  const [, theirs] = await readIds(storage)
  return new Misfit(
    `the database (${database}) and the pictures (${images}) are not parts of one store: ` +
      (theirs === undefined
        ? 'the pictures of its results are not there.'
        : `their ids are ${ours} and ${theirs}.`) +
      ' DATA_DIR, DATABASE_URL or IMAGES_URL may be wrong, or a disk is not mounted. To continue, name both parts of one ' +
      'store, or restore the missing part from a backup. If they do belong together, write the id of the database into ' +
      `${images}/.store: ${ours}`,
  )
}

/** In one store, the id of a key always means the same key. */
async function requireOwnKeys(storage: Storage, config: Config): Promise<void> {
  for (const { name, kind, id, fingerprint, setting, file, given, lost } of listKeys(storage, config)) {
    const known = await storage.store.findIdentity(name)
    if (known === undefined || known === fingerprint) continue
    const where = given ? setting : join(config.dataDir, file)
    throw new Misfit(
      `the ${kind}s (${where}) are not those of this store (${describe(config).database}): it knows another key by the id ` +
        `${id}. To continue, restore the right keys from a backup. To use new keys, give them an id that was not ` +
        `used before, such as k2. ${lost}`,
    )
  }
}

async function keepKeys(storage: Storage, config: Config): Promise<void> {
  const { store } = storage
  for (const { name, fingerprint } of listKeys(storage, config)) {
    if ((await store.findIdentity(name)) === undefined) await store.keepIdentity(name, fingerprint)
  }
}

/** `name`: as every version has named it in the database, such as `signing-key k1`. */
function listKeys({ signingKeys, secretKeys }: Storage, config: Config) {
  const lists = [
    {
      ...{ kind: 'signing key', setting: 'SIGNING_KEYS', file: 'signing-keys' },
      ...{ keys: signingKeys, given: config.signingKeys !== undefined },
      lost: 'Older addresses of pictures then stop working.',
    },
    {
      ...{ kind: 'secret key', setting: 'SECRET_KEYS', file: 'secret-keys' },
      ...{ keys: secretKeys, given: config.secretKeys !== undefined },
      lost: 'Pages with older secrets that are not captured yet then fail.',
    },
  ]
  return lists.flatMap(({ keys, ...list }) =>
    keys.map(({ id, fingerprint }) => ({
      ...{ ...list, id, fingerprint },
      name: `${list.kind.replace(' ', '-')} ${id}`,
    })),
  )
}

function describe({ database, images }: Config): { database: string; images: string } {
  return {
    database: database.kind === 'sqlite' ? database.path : 'DATABASE_URL',
    images: images.kind === 's3' ? `s3://${images.bucket}/${images.prefix}`.replace(/\/$/, '') : images.path,
  }
}
