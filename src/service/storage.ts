import type { Config } from '../config/config.ts'
import { AppError } from '../errors.ts'
import { loadOrMakeSigningKeys, type SigningKey } from '../images/disk/signing-keys.ts'
import type { Images } from '../images/images.ts'
import { loadOrMakeSecretKeys, type SecretKey } from '../secrets/secret-keys.ts'
import type { Store } from '../store/store.ts'

/** An optional peer dependency: with pictures in a folder it is not needed. */
const SDK = '@aws-sdk/client-s3'

export interface Storage {
  readonly store: Store
  readonly images: Images
  /** Keys that sign addresses of pictures in a folder. */
  readonly signingKeys: readonly SigningKey[]
  /** Keys that encrypt the secrets of requests. None: this process can neither accept nor capture requests with secrets. */
  readonly secretKeys: readonly SecretKey[]
  close(): Promise<void>
}

/** The store and the images: all that commands other than `serve` need. */
export async function openStorage(config: Config): Promise<Storage> {
  const store = await openStore(config)
  try {
    const inFolder = config.images.kind === 'folder'
    const signingKeys = inFolder ? await keysOf(config.signingKeys, config, loadOrMakeSigningKeys) : []
    const images = await openImages(config, signingKeys)
    return {
      store,
      images,
      signingKeys,
      secretKeys: await keysOf(config.secretKeys, config, loadOrMakeSecretKeys),
      close: async () => {
        await images.close()
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

// Each driver is loaded only if it is chosen: with a folder, the SDK of S3 is not loaded.

async function openStore({ database, databasePool }: Config): Promise<Store> {
  if (database.kind === 'postgres') {
    const { openPostgresStore } = await import('../store/postgres/postgres.ts')
    return await openPostgresStore(database.url, databasePool)
  }
  const { openSqliteStore } = await import('../store/sqlite/sqlite.ts')
  return await explaining(database.path, () => openSqliteStore(database.path))
}

async function openImages(config: Config, keys: readonly SigningKey[]): Promise<Images> {
  const { images, signingWindowMs: windowMs } = config
  if (images.kind === 's3') {
    const { openS3Images } = await import('../images/s3/s3.ts').catch(explainMissingSdk)
    return await openS3Images({ ...images, ...config.s3, windowMs })
  }
  const { openDiskImages } = await import('../images/disk/disk.ts')
  return await openDiskImages(images.path, { keys, windowMs })
}

/** With PostgreSQL, no key in the settings means none: a key made here would not be shared with other instances. */
async function keysOf<Key>(
  given: readonly Key[] | undefined,
  { database, dataDir }: Config,
  loadOrMake: (folder: string) => Promise<readonly Key[]>,
): Promise<readonly Key[]> {
  if (given) return given
  if (database.kind === 'postgres') return []
  return await explaining(dataDir, () => loadOrMake(dataDir))
}

/** A path that cannot be used is a mistake in the settings, not a crash. */
async function explaining<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    throw new AppError('storage_failed', `${path} cannot be used: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** Says what to install if the SDK is missing. */
function explainMissingSdk(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !error.message.includes(`'${SDK}'`)) throw error
  throw new AppError(
    'storage_failed',
    `Pictures in S3 need a package that is not installed. Run: npm install ${SDK}`,
    { cause: error },
  )
}
