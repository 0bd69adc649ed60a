import type { Problem, ProblemCode } from '../contract/problem.ts'

/** Any other text is possible, too: a newer server may know more codes. */
export type ProblemErrorCode = ProblemCode | 'unexpected_answer' | (string & Record<never, never>)

/** The server refused or failed, and said so. `message` is for people. */
export class ProblemError extends Error {
  /** The HTTP status; 0 if the browser does not tell it. */
  readonly status: number
  /** `unexpected_answer`: the answer is not from this service, perhaps from a proxy. */
  readonly code: ProblemErrorCode
  readonly detail: string | undefined
  /** All mistakes of the request. */
  readonly errors: NonNullable<Problem['errors']>
  /** The id of the request in the logs of the server. */
  readonly requestId: string | undefined
  /** Seconds until the client should ask again, if the server said so. */
  readonly retryAfter: number | undefined
  override readonly name = 'ProblemError'

  constructor({ status, headers }: Response, { code, title, detail, errors, requestId }: Said) {
    super(detail ?? title ?? `answered ${status}`)
    this.status = status
    this.code = code ?? 'unexpected_answer'
    this.detail = detail
    this.errors = errors ?? []
    this.requestId = requestId ?? headers.get('x-request-id') ?? undefined
    this.retryAfter = readRetryAfter(headers.get('retry-after'))
  }
}

/** The fields of a problem that were in the answer. */
type Said = { readonly [Name in keyof Problem]?: Problem[Name] | undefined }

export function unexpected(response: Response, detail: string): ProblemError {
  return new ProblemError(response, { detail })
}

/** The error for an answer that is not ok. */
export function readProblem(response: Response, body: string): ProblemError {
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    return unexpected(
      response,
      `answered ${response.status || 'with a redirect'}: redirects are not followed`,
    )
  }
  const problem = parseProblem(body)
  return problem
    ? new ProblemError(response, problem)
    : unexpected(response, `answered ${response.status}, but not as this service does`)
}

/** Undefined if the body is no problem, whatever its content type is. */
function parseProblem(body: string): Said | undefined {
  let given: Readonly<Record<string, unknown>>
  try {
    given = JSON.parse(body) ?? {}
  } catch {
    return undefined
  }
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : undefined)
  const code = text('code')
  if (code === undefined) return undefined
  const errors = Array.isArray(given['errors']) ? given['errors'] : undefined
  return { code, errors, title: text('title'), detail: text('detail'), requestId: text('requestId') }
}

/** RFC 9110, 10.2.3: seconds, or a date. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header)
  const seconds = Math.ceil((Date.parse(header) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
