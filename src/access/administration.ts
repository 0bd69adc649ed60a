import { randomUUID } from 'node:crypto'
import { AppError, need } from '../errors.ts'
import { makeStoredKey } from '../store/api-key.ts'
import { type ListPage, readListPage } from '../store/cursor.ts'
import type { ApiKey, Project, Store } from '../store/store.ts'

/** Not every text can be looked for: PostgreSQL knows no NUL. */
const parseKeyId = (text: string) => (/^[\w-]{1,64}$/.test(text) ? text : undefined)

export class Administration {
  readonly #store: Store
  readonly #clock: () => number

  constructor(store: Store, clock: () => number) {
    this.#store = store
    this.#clock = clock
  }

  /** Throws `conflict` if the id is taken. */
  async createProject(name: string, projectId: string = randomUUID()): Promise<Project> {
    await this.#store.createProject({ projectId, name, created: this.#clock() })
    return need(await this.#store.findProject(projectId))
  }

  /** Throws `not_found`, or `precondition_failed` if it has another revision than the one that is given. */
  async renameProject(projectId: string, name: string, revision?: string): Promise<Project> {
    return need(await this.#store.renameProject(projectId, name, revision))
  }

  /** One list page, oldest first. Throws `bad_request` for a bad cursor. */
  async listKeys({ projectId, ...page }: ListPage & { projectId: string | undefined }) {
    return await readListPage<ApiKey>(
      page,
      ({ after: last, limit }) => {
        const after = last && { created: last.created, keyId: last.id }
        return this.#store.listKeys({ projectId, after, limit })
      },
      ({ keyId }) => keyId,
      parseKeyId,
    )
  }

  /** The key and its secret, which is not known afterwards. Throws `not_found` if there is no such project. */
  async createKey(
    key: Pick<ApiKey, 'scope' | 'projectId' | 'label'>,
  ): Promise<{ key: ApiKey; secret: string }> {
    const { stored, secret } = makeStoredKey({ ...key, created: this.#clock() })
    await this.#store.createKey(stored)
    return { key: stored, secret }
  }

  /** Throws `not_found`. */
  async revokeKey(keyId: string): Promise<void> {
    const isRevoked = parseKeyId(keyId) && (await this.#store.revokeKey(keyId, this.#clock()))
    if (!isRevoked) throw new AppError('not_found')
  }
}
