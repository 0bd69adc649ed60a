import { randomBytes } from 'node:crypto'
import { lstat, mkdir, open, opendir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseId } from '../../contract/ids.ts'
import { AppError, cannotWrite } from '../../errors.ts'
import { makeDurableFolder, syncFolder } from '../../files/durable-folder.ts'
import { makeOnce } from '../../files/make-once.ts'
import { unlessMissing } from '../../files/unless-missing.ts'
import { createWriteProbe } from '../../files/write-probe.ts'
import type { ImageBatch, ImageKey, Images } from '../images.ts'
import { isFull, translating, translatingAll, translatingWrites } from './errors.ts'
import { conditionOf, type KnownWhole, openImage } from './open-image.ts'
import { readRoom, requireRoom, tryWriting } from './room.ts'
import { createPathAddresses, type PathSigner, verifySignedPath } from './signed-path.ts'
import { makeInStaging, STAGING, tidyStaging } from './staging.ts'
import { removeFiles, walkFiles } from './stored-files.ts'

export async function openDiskImages(root: string, signer: PathSigner): Promise<Images> {
  const probe = createWriteProbe(() => tryWriting(root))
  const writing = <T>(run: () => Promise<T>) =>
    translatingWrites(run).catch((error) => {
      if (cannotWrite(error)) probe.fail()
      throw error
    })
  await writing(() => makeDurableFolder(join(root, STAGING))).catch((error) => {
    // Reading works without the folder. Storing tries again to make it.
    if (!cannotWrite(error)) throw error
  })
  await tidyStaging(root)
  const ready = new Set<string>()
  const staged = new Map<string, number>()
  const known: KnownWhole = new Map()
  const [sharedMark, storeIdFile] = [join(root, '.shared'), join(root, '.store')]
  return {
    startBatch: () => startBatch(root, ready, writing),
    addresses: createPathAddresses(signer),
    verify: (path, now) => verifySignedPath(signer, path, now),
    open: (key) => translating(() => openImage(root, key, known)),
    condition: (key) => translating(() => conditionOf(root, key)),
    walk: (projectId) => translatingAll(walkFiles(root, projectId)),
    remove: (keys, before) => writing(() => removeFiles(root, keys, before)),
    setShared: () =>
      writing(async () => {
        await writeFile(sharedMark, WHY, { mode: 0o600, flush: true })
        await syncFolder(root)
      }),
    isShared: () => translating(async () => !!(await lstat(sharedMark).catch(unlessMissing))),
    tidy: () => translating(() => tidyStaging(root, staged)),
    findStoreId: () =>
      translating(async () => (await readFile(storeIdFile, 'utf8').catch(unlessMissing))?.trim()),
    keepStoreId: (storeId) => writing(async () => (await makeOnce(storeIdFile, `${storeId}\n`)).trim()),
    holdsAny: () => translating(() => holdsAny(root)),
    room: () => translating(() => readRoom(root)),
    check: () => translating(async () => void (await stat(root))),
    checkWriting: async () => {
      await translating(() => requireRoom(root))
      await probe.check()
    },
    hasFailedToWrite: probe.hasFailed,
    close: async () => {},
  }
}

/** `ready`: folders of projects that are known to be durable. */
async function startBatch(
  root: string,
  ready: Set<string>,
  writing: <T>(run: () => Promise<T>) => Promise<T>,
): Promise<ImageBatch> {
  const staging = join(root, STAGING, randomBytes(9).toString('base64url'))
  await writing(() => makeInStaging(root, () => mkdir(staging, { mode: 0o700 })))
  const staged: { key: ImageKey; file: string }[] = []

  return {
    add: (key, bytes) =>
      writing(async () => {
        const file = join(staging, key.replace('/', '-'))
        await writeDurably(file, bytes)
        staged.push({ key, file })
      }),

    publish: ({ before, after } = {}) =>
      writing(async () => {
        const folders = new Set(staged.map(({ key }) => join(root, dirname(key))))
        for (const folder of folders) if (!ready.has(folder)) await makeProjectFolder(folder)
        // Wait for all, also if one failed: afterwards another import may use the keys.
        const move = async ({ key, file }: (typeof staged)[number]) => {
          before?.()
          await rename(file, join(root, key))
        }
        const renames = await Promise.allSettled(staged.map(move))
        const failed = renames.find((each) => each.status === 'rejected')
        if (failed) throw failed.reason
        for (const folder of folders) {
          await syncOrFail(() => syncFolder(folder), folder)
          ready.add(folder)
        }
        for (const _ of staged) after?.()
      }),

    discard: () => rm(staging, { recursive: true, force: true }).catch(() => {}),
  }
}

async function makeProjectFolder(folder: string): Promise<void> {
  await makeDurableFolder(folder)
  // Pictures behind a symbolic link would be stored but never served.
  if (!(await lstat(folder)).isDirectory()) throw new AppError('storage_failed', `${folder} is not a folder.`)
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(path, 'wx', 0o600)
  await file.writeFile(bytes)
  await syncOrFail(() => file.sync(), path)
}

/** After a failed fsync the data may be lost, although a second fsync would succeed. So there is no second try. */
async function syncOrFail(sync: () => Promise<void>, path: string): Promise<void> {
  try {
    await sync()
  } catch (cause) {
    if (isFull(cause) || (cause as NodeJS.ErrnoException).code === 'EROFS') throw cause
    throw new AppError('storage_failed', `The disk did not store the data of ${path}.`, { cause })
  }
}

const WHY =
  'Results of two databases point at these pictures, since one was copied to another. While this file is here, pictures\n' +
  'that a database does not know are not removed. Remove it once only one of the databases is in use.\n'

async function holdsAny(root: string): Promise<boolean> {
  for await (const project of await opendir(root)) {
    if (!project.isDirectory() || parseId(project.name) === undefined) continue
    for await (const file of await opendir(join(root, project.name))) {
      if (file.name.endsWith('.png')) return true
    }
  }
  return false
}
