import type { HttpContext, Server } from '../../context.ts'
import type { ReadJson } from '../../rules/read-json.ts'
import { changeTemplate } from './change-template.ts'
import { createTemplate } from './create-template.ts'
import { getTemplate } from './get-template.ts'
import { listTemplates } from './list-templates.ts'
import { removeTemplate } from './remove-template.ts'
import { runTemplate } from './run-template.ts'

/** `scope`: operations with a body belong to it. */
export function templateOperations(
  server: Server,
  { scope, readJson }: { scope: Server; readJson: ReadJson },
  context: HttpContext,
): void {
  listTemplates(server, context)
  createTemplate(scope, readJson, context)
  getTemplate(server, context)
  changeTemplate(scope, readJson, context)
  removeTemplate(server, context)
  runTemplate(scope, readJson, context)
}
