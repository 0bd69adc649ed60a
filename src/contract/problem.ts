import { type Static, Type } from './schema.ts'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** The codes of errors. Clients depend on them: codes are only added. */
export type ProblemCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'address_invalid'
  | 'address_expired'
  | 'host_not_allowed'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'conflict'
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'rate_limited'
  | 'headers_too_large'
  | 'internal'
  | 'unavailable'
  | 'no_browser'
  | 'storage_full'
  | 'read_only'
  | 'storage_failed'

/** RFC 9457, with a stable code for programs and the id that the request has in the logs. */
export const Problem = Type.Object(
  {
    type: Type.Literal('about:blank'),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.String({ description: 'Stable. Programs can depend on it.' }),
    detail: Type.Optional(Type.String()),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          parameter: Type.Optional(
            Type.String({ description: 'The parameter of the query, or the header.' }),
          ),
          pointer: Type.Optional(
            Type.String({ description: 'A JSON pointer into the body (RFC 6901): `#/urls/0/url`.' }),
          ),
          detail: Type.String(),
        }),
        { description: 'All mistakes in the request.' },
      ),
    ),
    requestId: Type.String(),
  },
  { $id: 'Problem', description: 'An error (RFC 9457).' },
)

export type Problem = Static<typeof Problem>
