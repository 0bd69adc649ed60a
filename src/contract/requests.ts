import { Optional, Type } from './schema.ts'
import { MARK_NAMES } from './seen.ts'
import { DELIVERY_STATES, ROOT_STATES } from './states.ts'

export const MAX_QUERY = 200
export const MAX_URL = 8_192

const q = Optional.String({
  maxLength: MAX_QUERY,
  description: 'Only those with a page whose name or address contains this text, in upper or lower case.',
})

const tag = Optional.String({ maxLength: MAX_QUERY, description: 'Only those with this tag.' })

const template = Optional.String({
  maxLength: MAX_QUERY,
  description: 'Only those that were created from this template (UUID).',
})

const Instant = (description: string) =>
  Optional.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })

/** `limit` may not exceed what the operator allows. */
const listPage = (maxLimit: number, without: string) => ({
  limit: Optional.Integer({
    minimum: 1,
    maximum: maxLimit,
    description: `Answer at most this many, with a \`Link\` to the next list page. Without it: ${without}.`,
  }),
  cursor: Optional.String({
    maxLength: 200,
    description: 'Where the list page begins. Taken from the `Link` of the previous list page.',
  }),
})

export function createListQueries(maxLimit: number) {
  const page = listPage(maxLimit, `${maxLimit}`)
  const pageOrAll = listPage(maxLimit, 'all of them')
  return {
    plain: Type.Object(page),
    roots: Type.Object({ ...pageOrAll, q, tag, template }),
    /** Of one root. */
    jobs: Type.Object(pageOrAll),
    pages: Type.Object({ ...page, q }),
    keys: Type.Object({
      ...page,
      project: Optional.String({ maxLength: 64, description: 'Only the keys of this project (UUID).' }),
    }),
    deliveries: Type.Object({
      state: Optional.Enum(DELIVERY_STATES, { description: 'Only those in this state.' }),
      ...page,
    }),
    overviews: Type.Object({
      ...{ ...page, q, tag, template },
      state: Optional.Array(Type.Enum(ROOT_STATES), {
        maxItems: ROOT_STATES.length,
        description: 'Only those in this state. If it is given several times, in one of these states.',
      }),
      mark: Optional.Enum(MARK_NAMES, {
        description: 'Only those with a page that has this mark; see `Seen`.',
      }),
      from: Instant('Only those created at this instant or later. Unix milliseconds.'),
      to: Instant('Only those created before this instant. Unix milliseconds.'),
    }),
    history: Type.Object({
      url: Type.String({
        minLength: 1,
        maxLength: MAX_URL,
        description: 'The address of the page, as it was captured.',
      }),
      fullPage: Optional.Boolean({
        description:
          'Only those requested as the whole page (`true`), or as the part that the window shows (`false`).',
      }),
      width: Optional.Integer({
        minimum: 1,
        maximum: 2 ** 31 - 1,
        description: 'Only those requested with a browser window of this width, in pixels.',
      }),
      ...page,
    }),
  }
}

/** Longest wait for a status, in seconds. */
export const MAX_WAIT = 60

export const StatusQuery = Type.Object({
  wait: Optional.Integer({
    minimum: 0,
    maximum: MAX_WAIT,
    description: 'Answer when the root is finished, or after this many seconds.',
  }),
})
