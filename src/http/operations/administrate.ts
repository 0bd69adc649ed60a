import type { HttpContext, Server } from '../context.ts'
import type { RefuseKey } from '../rules/authentication.ts'
import type { ReadJson } from '../rules/read-json.ts'
import { createKey } from './keys/create-key.ts'
import { listKeys } from './keys/list-keys.ts'
import { revokeKey } from './keys/revoke-key.ts'
import { createProject } from './projects/create-project.ts'
import { removeProject } from './projects/remove-project.ts'
import { renameProject } from './projects/rename-project.ts'
import { getSession } from './session/get-session.ts'
import { signIn } from './session/sign-in.ts'
import { signOut } from './session/sign-out.ts'

/** Projects and keys, and the session of a browser. */
export function administrate(
  server: Server,
  { readJson, refuse }: { readJson: ReadJson; refuse: RefuseKey },
  context: HttpContext,
): void {
  createProject(server, readJson, context)
  renameProject(server, readJson, context)
  removeProject(server, context)
  listKeys(server, context)
  createKey(server, readJson, context)
  revokeKey(server, context)
  getSession(server, context)
  signIn(server, { readJson, refuse }, context)
  signOut(server, context)
}
