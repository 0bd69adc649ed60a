import type { Expected, ListPage, Room } from './owned.ts'

/** A request that is kept under a name. */
export interface StoredTemplate {
  readonly projectId: string
  readonly templateId: string
  readonly name: string
  /** JSON of the request, with empty strings for secrets. */
  readonly request: string
  /** Its secrets, encrypted. */
  readonly sealed: string | undefined
  readonly created: number
  readonly changed: number
  /** Changes with every change of the template, but not when it is run. */
  readonly revision: string
  /** The last root that was made from it. The root may be removed by now. */
  readonly lastRoot: string | undefined
}

export type NewTemplate = Omit<StoredTemplate, 'changed' | 'revision' | 'lastRoot'>

export interface TemplateKey {
  readonly projectId: string
  readonly templateId: string
}

/** A template without what is only known when all of it is read. */
export interface TemplateHead extends Pick<StoredTemplate, 'templateId' | 'name' | 'created'> {
  /** Of its request. */
  readonly bytes: number
}

/**
 * Templates of projects. Roots keep the id of a template that was removed. Errors are those of `Store`. `change` and `remove` throw
 * `not_found`, and `precondition_failed` if the revision is another one.
 */
export interface Templates {
  /** Throws `not_found` for an unknown project, `conflict` if it has `most` templates already, or the id is taken. */
  create(template: NewTemplate, room?: Room): Promise<StoredTemplate>
  has(key: TemplateKey): Promise<boolean>
  find(key: TemplateKey): Promise<StoredTemplate | undefined>
  /** Newest first, then by id. Takes no longer if requests are large. */
  page(projectId: string, page: ListPage): Promise<TemplateHead[]>
  /** Those of these templates that exist, in any order. */
  findAll(projectId: string, templateIds: readonly string[]): Promise<StoredTemplate[]>
  change(
    key: TemplateKey,
    change: Pick<StoredTemplate, 'name' | 'request' | 'sealed' | 'changed'>,
    expected?: Expected,
  ): Promise<StoredTemplate>
  /** Throws `conflict` if something uses it. */
  remove(key: TemplateKey, expected?: Expected): Promise<void>
}
