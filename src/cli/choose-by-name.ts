import { parseId } from '../contract/ids.ts'
import { AppError } from '../errors.ts'
import { readAll } from '../store/owned.ts'
import type { Store } from '../store/store.ts'
import type { TemplateHead } from '../store/templates.ts'
import { printable } from './table.ts'

/** Things that commands find by id or by name. */
export type Thing = 'template' | 'schedule' | 'webhook'

/**
 * An id is returned without a check: the caller must look it up. Throws `not_found`, or `bad_request` if several have the
 * name.
 */
export async function chooseByName<T extends { readonly name: string }>(
  thing: Thing,
  meant: string,
  { list, idOf }: { list: () => Promise<readonly T[]>; idOf: (each: T) => string },
): Promise<string> {
  const id = parseId(meant)
  if (id !== undefined) return id
  const fitting = (await list()).filter(({ name }) => name === meant)
  const [first, second] = fitting
  if (!first) throw noSuch(thing, meant)
  if (!second) return idOf(first)
  const ids = fitting.map((each) => `  ${idOf(each)}`).join('\n')
  throw new AppError(
    'bad_request',
    `several ${thing}s are called ${printable(meant)}. Choose one by its id\n${ids}`,
  )
}

/** For something that has been removed meanwhile. */
export function orNoSuch(thing: Thing, meant: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof AppError && error.code === 'not_found' ? noSuch(thing, meant) : error
  }
}

export function noSuch(thing: Thing, meant: string): AppError {
  return new AppError(
    'not_found',
    `there is no ${thing} ${printable(meant)}. List them with: npx proofsheet ${thing} list`,
  )
}

/** All templates of a project, newest first. */
export async function listAll({ templates }: Store, projectId: string): Promise<TemplateHead[]> {
  return await readAll(
    (page) => templates.page(projectId, page),
    ({ templateId }) => templateId,
  )
}

/** Finds a template by its id or its name. Throws as `chooseByName`. */
export async function getTemplateId(store: Store, projectId: string, meant: string): Promise<string> {
  return await chooseByName('template', meant, {
    list: () => listAll(store, projectId),
    idOf: ({ templateId }) => templateId,
  })
}
