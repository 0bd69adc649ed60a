import type { Config } from './config/config.ts'
import { AppError } from './errors.ts'
import { openDiskImages } from './images/disk.ts'
import type { Images } from './images/images.ts'
import { loadOrMakeSigningKeys } from './images/signing-keys.ts'
import { openSqliteStore } from './store/sqlite.ts'
import type { Store } from './store/store.ts'

export interface Storage {
  readonly store: Store
  readonly images: Images
  close(): Promise<void>
}

/** What is known and where the pictures lie; all that commands other than `serve` need. */
export async function openStorage(config: Config): Promise<Storage> {
  const keys =
    config.signingKeys ?? (await explaining(config.dataDir, () => loadOrMakeSigningKeys(config.dataDir)))
  const store = await explaining(config.databasePath, () => openSqliteStore(config.databasePath))
  try {
    const images = await openDiskImages(config.imagesPath, { keys, windowMs: config.signingWindowMs })
    return {
      store,
      images,
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

/** A path that cannot be used is a mistake of the settings, not a crash. */
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
