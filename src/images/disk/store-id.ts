import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseId } from '../../contract/ids.ts'
import { makeOnce, readIfThere } from '../../files/make-once.ts'

const FILE = '.store'

export async function findStoreId(root: string): Promise<string | undefined> {
  return (await readIfThere(join(root, FILE)))?.trim()
}

export async function keepStoreId(root: string, storeId: string): Promise<string> {
  return (await makeOnce(join(root, FILE), `${storeId}\n`)).trim()
}

/** Stops at the first picture. */
export async function holdsAny(root: string): Promise<boolean> {
  for await (const project of await opendir(root)) {
    if (!project.isDirectory() || parseId(project.name) === undefined) continue
    for await (const file of await opendir(join(root, project.name))) {
      if (file.name.endsWith('.png')) return true
    }
  }
  return false
}
