import type { Templates } from '../../capture/templates.ts'
import { paths } from '../../contract/paths.ts'
import { createTemplateRequest, createTemplateRun, Template, TemplateList } from '../../contract/templates.ts'
import { whenOf } from '../../contract/when.ts'
import { requireValid } from '../../errors.ts'
import type { TemplateResults } from '../../results/templates.ts'
import { acceptedResponse, acceptRoot, readIdempotencyKey } from '../answers/accept-root.ts'
import { EXAMPLE, named } from '../answers/api.ts'
import { type Chapter, logAct } from '../operation.ts'
import { declareResource } from '../resource.ts'

const { page, request, created, last } = EXAMPLE

export const templates = (templates: Templates, results: TemplateResults): Chapter => ({
  name: 'Templates',
  description: 'Stored requests, to be run again.',
  schemas: (limits) => [
    named(createTemplateRequest(limits), { name: 'Nightly', ...request }),
    named(createTemplateRun(limits), { urls: [page] }),
    named(Template, {
      ...{ templateId: '5a0c1a6e-6f4b-4d0e-9c52-7d2a1f3c9b10', name: 'Nightly', ...request },
      ...{ created, changed: created, last },
    }),
  ],
  declare(declare, context) {
    const { config, requireBrowser } = context
    const { find } = declareResource(declare, context, {
      name: 'template',
      schemaOfList: TemplateList,
      changesWith: 'the template, not with its runs',
      words: {
        list: { description: 'Newest first, each with its last root.' },
        create: {
          description: 'Keeps a request under a name, to be run again. Its secrets are stored encrypted.',
        },
        get: {
          description: 'Secrets are empty strings. Empty strings can be sent back: they keep the secrets.',
        },
        change: {
          description:
            'Replaces all fields. An empty string instead of a secret keeps the secret, if the pages that use it keep their URLs ' +
            'and options.',
        },
        remove: {
          description: 'Its roots stay, and keep its id. A template that a schedule uses cannot be removed.',
          answer: 'It is removed, with its secrets.',
          fails: ['conflict'],
        },
      },
      use: templates,
      list: (project, page, asked) => results.list(project, page, asked),
      render: (row, asked) => results.render(row, asked),
    })
    declare({
      id: 'runTemplate',
      summary: 'Run a template',
      description:
        'Requests its pages. The body may be left out. The root can be read at once, with no jobs, as after a request for ' +
        'screenshots.',
      method: 'POST',
      path: paths.template,
      header: 'Idempotency-Key',
      body: {
        schema: 'TemplateRun',
        read(json) {
          const { urls, ...time } = requireValid(createTemplateRun(config.limits), json)
          return { urls, when: whenOf(time) }
        },
        absent: {},
      },
      answers: { 201: acceptedResponse },
      fails: ['no_browser'],
      async run(request, reply, run) {
        const idempotencyKey = readIdempotencyKey(request)
        const { projectId, templateId, request: kept } = await find(request)
        await requireBrowser()
        const accept = async () => {
          const key = { projectId, templateId }
          const rootId = await templates.run(key, { ...run, by: request.apiKey?.keyId }, idempotencyKey)
          logAct(request, 'template run', { ...key, rootId })
          return rootId
        }
        return await acceptRoot(request, reply, context, { projectId, kept, accept })
      },
    })
  },
})
