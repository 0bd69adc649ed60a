import { parseId } from '../../contract/ids.ts'
import { AppError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import type { TemplateHead, TemplatePosition } from '../../store/templates.ts'
import { printable } from '../table.ts'

const AT_ONCE = 100

/** All templates of a project, newest first. */
export async function listAll({ templates }: Store, projectId: string): Promise<TemplateHead[]> {
  const all: TemplateHead[] = []
  for (let after: TemplatePosition | undefined; ; ) {
    const page = await templates.page(projectId, { after, limit: AT_ONCE })
    all.push(...page)
    if (page.length < AT_ONCE) return all
    after = page.at(-1)
  }
}

/** Finds a template by its id or its name. Throws `not_found`, or `bad_request` if several have the name. */
export async function getTemplateId(store: Store, projectId: string, meant: string): Promise<string> {
  const id = parseId(meant)
  if (id !== undefined) return id
  const fitting = (await listAll(store, projectId)).filter(({ name }) => name === meant)
  const [first, second] = fitting
  if (!first) throw unknownTemplate(meant)
  if (!second) return first.templateId
  const ids = fitting.map(({ templateId }) => `  ${templateId}`).join('\n')
  throw new AppError(
    'bad_request',
    `several templates are called ${printable(meant)}. Choose one by its id\n${ids}`,
  )
}

export function unknownTemplate(meant: string): AppError {
  return new AppError(
    'not_found',
    `there is no template ${printable(meant)}. List them with: npx proofsheet template list`,
  )
}
