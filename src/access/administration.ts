import { randomUUID } from 'node:crypto'
import type { KeyScope } from '../contract/access.ts'
import { AppError } from '../errors.ts'
import { makeStoredKey } from '../store/api-key.ts'
import type { ApiKey, KeyPosition, Project, Store } from '../store/store.ts'

/** Not every text can be looked for: PostgreSQL knows no NUL. */
const KEY_ID = /^[\w-]{1,64}$/

interface KeyListPage {
  readonly projectId: string | undefined
  readonly limit: number
  readonly cursor: string | undefined
}

/** Creates and changes projects and keys. */
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
    const project = await this.#store.findProject(projectId)
    if (!project) throw new AppError('not_found')
    return project
  }

  /** Throws `not_found`, or `precondition_failed` if it has another revision than the one that is given. */
  async renameProject(projectId: string, name: string, revision?: string): Promise<Project> {
    const project = await this.#store.renameProject(projectId, name, revision)
    if (!project) throw new AppError('not_found')
    return project
  }

  /** One list page, oldest first. Throws `bad_request` for a bad cursor. */
  async listKeys({ projectId, limit, cursor }: KeyListPage) {
    const after = cursor === undefined ? undefined : decodeCursor(cursor)
    const found = await this.#store.listKeys({ projectId, after, limit: limit + 1 })
    const keys: readonly ApiKey[] = found.slice(0, limit)
    const last = found.length > limit ? keys.at(-1) : undefined
    return { keys, nextCursor: last && encodeCursor(last) }
  }

  /** The key and its secret, which is not known afterwards. Throws `not_found` if there is no such project. */
  async createKey(key: {
    scope: KeyScope
    projectId: string | undefined
    label: string
  }): Promise<{ key: ApiKey; secret: string }> {
    const { stored, secret } = makeStoredKey({ ...key, created: this.#clock() })
    await this.#store.createKey(stored)
    return { key: stored, secret }
  }

  /** Throws `not_found`. */
  async revokeKey(keyId: string): Promise<void> {
    const isRevoked = KEY_ID.test(keyId) && (await this.#store.revokeKey(keyId, this.#clock()))
    if (!isRevoked) throw new AppError('not_found')
  }
}

function encodeCursor({ created, keyId }: KeyPosition): string {
  return Buffer.from(`${created}.${keyId}`).toString('base64url')
}

function decodeCursor(cursor: string): KeyPosition {
  const [, created, keyId] =
    /^(\d{1,16})\.([\w-]{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (created !== undefined && keyId !== undefined) {
    const position = { created: Number(created), keyId }
    if (encodeCursor(position) === cursor) return position
  }
  throw new AppError('bad_request', 'cursor must come from a Link header of this list')
}
