import type { Problem, ProblemCode } from '../contract/problem.ts'

/** Open at its end: a newer server may know more. */
export type ProblemErrorCode = ProblemCode | 'unexpected_answer' | (string & Record<never, never>)

/** The server refused or failed, and said so. `message` is for people. */
export class ProblemError extends Error {
  /** Of the answer; 0 where a browser does not tell. */
  readonly status: number
  /** `unexpected_answer`: not in the words of this service, but perhaps of a proxy before it. */
  readonly code: ProblemErrorCode
  readonly detail: string | undefined
  /** Each mistake of the request. */
  readonly errors: NonNullable<Problem['errors']>
  /** Under which the logs of the server know the request. */
  readonly requestId: string | undefined
  /** Seconds, where the server said when to come back. */
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

/** What of a problem came along. */
type Said = { readonly [Name in keyof Problem]?: Problem[Name] | undefined }

export function unexpected(response: Response, detail: string): ProblemError {
  return new ProblemError(response, { detail })
}

/** What an answer that is not ok says. */
export function readProblem(response: Response, body: string): ProblemError {
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    return unexpected(response, `answered ${response.status || 'with a redirect'}: it leads elsewhere`)
  }
  const problem = parseProblem(body)
  return problem
    ? new ProblemError(response, problem)
    : unexpected(response, `answered ${response.status}, and not as this service does`)
}

/** Undefined where it is none, whatever it says that it is. */
function parseProblem(body: string): Said | undefined {
  const given = parseObject(body)
  const text = (name: string) => (typeof given?.[name] === 'string' ? given[name] : undefined)
  const code = text('code')
  if (code === undefined) return undefined
  const errors = Array.isArray(given?.['errors']) ? given['errors'] : undefined
  return { code, errors, title: text('title'), detail: text('detail'), requestId: text('requestId') }
}

function parseObject(body: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(body)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** RFC 9110, 10.2.3: seconds, or a date. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header)
  const seconds = Math.ceil((Date.parse(header) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
