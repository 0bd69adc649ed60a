import type { Config } from './config/config.ts'
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
  const keys = config.signingKeys ?? (await loadOrMakeSigningKeys(config.dataDir))
  const store = await openSqliteStore(config.databasePath)
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
