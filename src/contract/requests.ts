import { type Static, Type } from './schema.ts'
import { MARK_NAMES } from './seen.ts'
import { DELIVERY_STATES, ROOT_STATES } from './states.ts'

// No pattern or format: a malformed id gets the same answer as an unknown id.
export const ProjectParams = Type.Object({
  projectId: Type.String({ description: 'The project (UUID).' }),
})

export const RootParams = Type.Object({
  projectId: Type.String({ description: 'The project (UUID).' }),
  jobId: Type.String({ description: 'The root (UUID), as returned in `rootId`.' }),
})

export const TemplateParams = Type.Object({
  projectId: Type.String({ description: 'The project (UUID).' }),
  templateId: Type.String({ description: 'The template (UUID).' }),
})

export const ScheduleParams = Type.Object({
  projectId: Type.String({ description: 'The project (UUID).' }),
  scheduleId: Type.String({ description: 'The schedule (UUID).' }),
})

export const PictureParams = Type.Object({
  projectId: Type.String({ description: 'The project (UUID).' }),
  jobId: Type.String({ description: 'The root (UUID), as returned in `rootId`.' }),
  uuid: Type.String({ description: 'The job (UUID), as returned in `uuid`.' }),
})

export const WebhookParams = Type.Object({
  projectId: Type.String({ description: 'The project (UUID).' }),
  webhookId: Type.String({ description: 'The webhook (UUID).' }),
})

export const DeliveryParams = Type.Object({
  projectId: Type.String({ description: 'The project (UUID).' }),
  webhookId: Type.String({ description: 'The webhook (UUID).' }),
  deliveryId: Type.String({ description: 'The delivery (UUID).' }),
})

/** Longest text to search for. */
export const MAX_QUERY = 200
/** Longest address of a page. */
export const MAX_URL = 8_192

const Search = {
  q: Type.Optional(
    Type.String({
      maxLength: MAX_QUERY,
      description: 'Only those with a page whose name or address contains this text, in upper or lower case.',
    }),
  ),
}

const Tag = {
  tag: Type.Optional(Type.String({ maxLength: MAX_QUERY, description: 'Only those with this tag.' })),
}

const FromTemplate = {
  template: Type.Optional(
    Type.String({
      maxLength: MAX_QUERY,
      description: 'Only those that were created from this template (UUID).',
    }),
  ),
}

const Instant = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))

const Glance = {
  state: Type.Optional(
    Type.Array(Type.Enum(ROOT_STATES), {
      maxItems: ROOT_STATES.length,
      description: 'Only those in this state. If it is given several times, in one of these states.',
    }),
  ),
  mark: Type.Optional(
    Type.Enum(MARK_NAMES, { description: 'Only those with a page that has this mark; see `Seen`.' }),
  ),
  from: Instant('Only those created at this instant or later. Unix milliseconds.'),
  to: Instant('Only those created before this instant. Unix milliseconds.'),
}

/** `limit` may not exceed what the operator allows. */
function listPage(maxLimit: number, without: string) {
  return {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxLimit,
        description: `Answer at most this many, with a \`Link\` to the next list page. Without it: ${without}.`,
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Where the list page begins. Taken from the `Link` of the previous list page.',
      }),
    ),
  }
}

export const createRootsQuery = (maxLimit: number) =>
  Type.Object({ ...listPage(maxLimit, 'all of them'), ...Search, ...Tag, ...FromTemplate })

export const createListPageQuery = (maxLimit: number) => Type.Object(listPage(maxLimit, `${maxLimit}`))

/** For the jobs of one root. */
export const createJobsQuery = (maxLimit: number) => Type.Object(listPage(maxLimit, 'all of them'))

export const createKeysQuery = (maxLimit: number) =>
  Type.Object({
    ...listPage(maxLimit, `${maxLimit}`),
    project: Type.Optional(
      Type.String({ maxLength: 64, description: 'Only the keys of this project (UUID).' }),
    ),
  })

export const createDeliveriesQuery = (maxLimit: number) =>
  Type.Object({
    state: Type.Optional(Type.Enum(DELIVERY_STATES, { description: 'Only those in this state.' })),
    ...listPage(maxLimit, `${maxLimit}`),
  })

export const createOverviewsQuery = (maxLimit: number) =>
  Type.Object({ ...listPage(maxLimit, `${maxLimit}`), ...Search, ...Tag, ...FromTemplate, ...Glance })

export const createPagesQuery = (maxLimit: number) =>
  Type.Object({ ...listPage(maxLimit, `${maxLimit}`), ...Search })

export const createHistoryQuery = (maxLimit: number) =>
  Type.Object({
    url: Type.String({
      minLength: 1,
      maxLength: MAX_URL,
      description: 'The address of the page, as it was captured.',
    }),
    fullPage: Type.Optional(
      Type.Boolean({
        description:
          'Only those requested as the whole page (`true`), or as the part that the window shows (`false`).',
      }),
    ),
    width: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2 ** 31 - 1,
        description: 'Only those requested with a browser window of this width, in pixels.',
      }),
    ),
    ...listPage(maxLimit, `${maxLimit}`),
  })

/** Longest wait for a status, in seconds. */
export const MAX_WAIT = 60

export const StatusQuery = Type.Object({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_WAIT,
      description: 'Answer when the root is finished, or after this many seconds.',
    }),
  ),
})

export type ProjectParams = Static<typeof ProjectParams>
export type RootParams = Static<typeof RootParams>
