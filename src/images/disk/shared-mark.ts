import { lstat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../../files/durable-folder.ts'
import { unlessMissing } from './stored-files.ts'

const NAME = '.shared'
const WHY =
  'Results of two databases point at these pictures, since one was copied to another. While this file is here, pictures\n' +
  'that a database does not know are not removed. Remove it once only one of the databases is in use.\n'

/** See `Images.setShared`. */
export async function markShared(root: string): Promise<void> {
  await writeFile(join(root, NAME), WHY, { mode: 0o600, flush: true })
  await syncFolder(root)
}

export async function isMarkedShared(root: string): Promise<boolean> {
  return (await lstat(join(root, NAME)).catch(unlessMissing)) !== undefined
}
