import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../../errors.ts'
import type { Transfer } from './transfer.ts'

/** Copies the project and its keys, but no roots. */
export async function copyProject({ from, to }: Transfer, projectId: string): Promise<void> {
  const project = await from.store.findProject(projectId)
  if (project && !(await to.store.findProject(projectId))) {
    await to.store.createProject(project).catch(ignoreConflict)
  }
  const there = new Map((await to.store.listKeys({ projectId })).map((key) => [key.keyId, key]))
  for (const key of await from.store.listKeys({ projectId })) {
    const known = there.get(key.keyId)
    if (!known) await to.store.createKey(key).catch(ignoreConflict)
    else if (key.revoked !== undefined && known.revoked === undefined)
      await to.store.revokeKey(key.keyId, key.revoked)
  }
}

/** Another process copies the same. */
function ignoreConflict(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'conflict') throw error
}

/** How the project or its keys differ at the target. Undefined if they do not. */
export async function compareProject({ from, to }: Transfer, projectId: string): Promise<string | undefined> {
  const [here, there] = [await from.store.findProject(projectId), await to.store.findProject(projectId)]
  if (here?.name !== there?.name || here?.created !== there?.created)
    return 'has another name or creation time there'
  const copies = new Map((await to.store.listKeys({ projectId })).map((key) => [key.keyId, key]))
  for (const key of await from.store.listKeys({ projectId })) {
    if (!isDeepStrictEqual(copies.get(key.keyId), key))
      return `has a key ${key.keyId} that is not the same there`
  }
  return undefined
}
