import { type Static, Type } from './schema.ts'

// No pattern or format: an id that is none is answered like an id that does not exist.
export const ProjectParams = Type.Object({
  projectId: Type.String({ description: 'The project (UUID).' }),
})

export const RootParams = Type.Object({
  projectId: Type.String({ description: 'The project (UUID).' }),
  jobId: Type.String({ description: 'The root (UUID), as returned in `rootId`.' }),
})

/** `limit` may not exceed what the operator allows. */
export function createPageQuery(maxLimit: number) {
  return Type.Object({
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxLimit,
        description: 'Answer at most this many roots, with a `Link` to the next page. Without it: all roots.',
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Where the page begins, taken from the `Link` of the page before.',
      }),
    ),
  })
}

/** Longest that a status may be waited for, in seconds. */
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
