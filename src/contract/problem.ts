import { Optional, type Static, Type } from './schema.ts'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** The errors, with their status and title. Clients depend on the codes: codes are only added. */
export const PROBLEMS = {
  bad_request: { status: 400, title: 'The request is not valid' },
  unauthorized: { status: 401, title: 'A valid API key is required' },
  forbidden: { status: 403, title: 'This API key does not allow that' },
  address_invalid: { status: 403, title: 'The signature of this address is not valid' },
  address_expired: { status: 403, title: 'This address has expired' },
  host_not_allowed: { status: 403, title: 'This host name is not served here' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'This method is not supported here' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  conflict: { status: 409, title: 'This conflicts with the current state' },
  precondition_failed: { status: 412, title: 'This has changed since you read it' },
  too_large: { status: 413, title: 'The request body is too large' },
  unsupported_media_type: { status: 415, title: 'The request body must be JSON' },
  range_not_satisfiable: { status: 416, title: 'The requested range is outside the picture' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The request headers are too large' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  unavailable: { status: 503, title: 'The service cannot answer right now' },
  no_browser: { status: 503, title: 'There is no browser to take pictures with' },
  storage_full: { status: 503, title: 'There is no space left to store anything' },
  read_only: { status: 503, title: 'Nothing can be written at the moment' },
  storage_failed: { status: 503, title: 'The storage failed' },
} as const

export type ProblemCode = keyof typeof PROBLEMS

/** RFC 9457, with a stable code for programs and the id that the request has in the logs. */
export const Problem = Type.Object(
  {
    type: Type.Literal('about:blank'),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.String({ description: 'Stable. Programs can depend on it.' }),
    detail: Optional.String(),
    errors: Optional.Array(
      Type.Object({
        parameter: Optional.String({ description: 'The parameter of the query, or the header.' }),
        pointer: Optional.String({ description: 'A JSON pointer into the body (RFC 6901): `#/urls/0/url`.' }),
        detail: Type.String(),
      }),
      { description: 'All mistakes in the request.' },
    ),
    requestId: Type.String(),
  },
  { $id: 'Problem', description: 'An error (RFC 9457).' },
)

export type Problem = Static<typeof Problem>
