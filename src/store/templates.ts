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

export type TemplateKey = Pick<StoredTemplate, 'projectId' | 'templateId'>

/** A template without what is only known when all of it is read. */
export interface TemplateHead extends Pick<StoredTemplate, 'templateId' | 'name' | 'created'> {
  /** Of its request. */
  readonly bytes: number
}
