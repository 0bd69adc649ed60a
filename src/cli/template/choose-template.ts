import { readAll } from '../../store/owned.ts'
import type { Store } from '../../store/store.ts'
import type { TemplateHead } from '../../store/templates.ts'
import { chooseByName } from '../choose-by-name.ts'

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
