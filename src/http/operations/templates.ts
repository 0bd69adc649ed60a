import { readRun } from '../../capture/templates.ts'
import { paths } from '../../contract/paths.ts'
import { TemplateParams } from '../../contract/requests.ts'
import { TemplateList } from '../../contract/templates.ts'
import { acceptedResponse, acceptRoot, readIdempotencyKey } from '../answers/accept-root.ts'
import type { HttpContext } from '../context.ts'
import { type Declare, logAct } from '../operation.ts'
import { declareResource } from '../resource.ts'

export function templates(declare: Declare, context: HttpContext): void {
  const { config, clock, door, requireBrowser, templates, templateResults } = context
  declareResource(declare, context, {
    name: 'template',
    tag: 'Templates',
    paths: { all: paths.templates, one: paths.template },
    ids: TemplateParams,
    schemaOfList: TemplateList,
    changesWith: 'the template, not with its runs',
    words: {
      list: {
        summary: 'List the templates of a project',
        description: 'Newest first, each with its last root.',
        answer: 'The templates.',
      },
      create: {
        summary: 'Create a template',
        description: 'Keeps a request under a name, to be run again. Its secrets are stored encrypted.',
        answer: 'The template.',
        fails: ['conflict'],
      },
      get: {
        summary: 'Get one template',
        description: 'Secrets are empty strings. Empty strings can be sent back: they keep the secrets.',
        answer: 'The template.',
      },
      change: {
        summary: 'Change a template',
        description:
          'Replaces all fields. An empty string instead of a secret keeps the secret, if it goes to the same origins and the rest ' +
          'of a login is unchanged.',
        answer: 'The changed template.',
      },
      remove: {
        summary: 'Remove a template',
        description: 'Its roots stay, and keep its id. A template that a schedule uses cannot be removed.',
        answer: 'It is removed, with its secrets.',
        fails: ['conflict'],
      },
    },
    find: (ids, visitor) => door.getTemplate(ids, visitor),
    list: (project, page, asked) => templateResults.list(project, page, asked),
    create: (projectId, body) => templates.create(projectId, body, clock()),
    change: (row, body, revision) => templates.change(row, body, { now: clock(), revision }),
    remove: (row, revision) => templates.remove(row, { revision }),
    render: (row, asked) => templateResults.render(row, asked),
  })
  declare({
    id: 'runTemplate',
    tag: 'Templates',
    summary: 'Run a template',
    description:
      'Requests its pages. The body may be left out. The root can be read at once, with no jobs, as after a request for ' +
      'screenshots.',
    access: 'write',
    method: 'POST',
    path: paths.template,
    params: TemplateParams,
    header: 'Idempotency-Key',
    body: { schema: 'TemplateRun', read: (json) => readRun(json, config.limits), absent: {} },
    answers: { 201: acceptedResponse },
    fails: ['no_browser'],
    async run(request, reply, run) {
      const idempotencyKey = readIdempotencyKey(request)
      const { projectId, templateId, request: kept } = await door.getTemplate(request.params, request.apiKey)
      await requireBrowser()
      const accept = async () => {
        const key = { projectId, templateId }
        const rootId = await templates.run(key, run, { now: clock(), idempotencyKey })
        logAct(request, 'template run', { ...key, rootId })
        return rootId
      }
      return await acceptRoot(request, reply, context, { projectId, kept, accept })
    },
  })
}
