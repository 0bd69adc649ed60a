import type { Key, KeyRequest, NewKey, ProjectRequest, Session, SignIn } from '../contract/access.ts'
import type { Project } from '../contract/browsing.ts'
import { paths } from '../contract/paths.ts'
import type { Asking, AskOptions, ListOptions, ListPages } from './asking.ts'

export interface AdministrationCalls {
  /** These need a key with the scope `admin`, or a service that asks for no key. */
  createProject(project: ProjectRequest, options?: AskOptions): Promise<Project>
  renameProject(projectId: string, name: string, options?: AskOptions): Promise<Project>
  removeProject(projectId: string, options?: AskOptions): Promise<void>
  listKeys(options?: ListOptions & { readonly project?: string | undefined }): ListPages<Key>
  createKey(key: KeyRequest, options?: AskOptions): Promise<NewKey>
  revokeKey(keyId: string, options?: AskOptions): Promise<void>

  /** For web pages: who asks, by the key of the client or by the cookie of the browser. */
  getSession(options?: AskOptions): Promise<Session>
  /** Keeps a key in a cookie that scripts cannot read. */
  signIn(signIn: SignIn, options?: AskOptions): Promise<Session>
  /** Forgets one key of the cookie, or all of them. */
  signOut(keyId?: string, options?: AskOptions): Promise<Session>
}

export function createAdministrationCalls({ get, list, to, write }: Asking): AdministrationCalls {
  return {
    createProject: (body, options) => write('POST', paths.listProjects, body, options),
    renameProject: (project, name, options) => write('PUT', to(paths.getProject, project), { name }, options),
    removeProject: (project, options) => write('DELETE', to(paths.getProject, project), undefined, options),
    listKeys: (options = {}) => list(paths.keys, options),
    createKey: (body, options) => write('POST', paths.keys, body, options),
    revokeKey: (key, options) => write('DELETE', to(paths.key, key), undefined, options),

    getSession: (options) => get(paths.session, options),
    signIn: (body, options) => write('POST', paths.session, body, options),
    signOut: (key, options) =>
      write('DELETE', key === undefined ? paths.session : to(paths.sessionKey, key), undefined, options),
  }
}
