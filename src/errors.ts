import type { ProblemCode } from './contract/problem.ts'

interface FailureKind {
  readonly status: number
  readonly title: string
  readonly log: boolean
}

/** The closed set of failures: status and title of each, and whether it is logged. */
const failures: Readonly<Record<ProblemCode, FailureKind>> = {
  bad_request: { status: 400, title: 'The request is not valid', log: false },
  unauthorized: { status: 401, title: 'A valid API key is required', log: false },
  forbidden: { status: 403, title: 'This API key does not allow that', log: false },
  address_invalid: { status: 403, title: 'The signature of this address is not valid', log: false },
  address_expired: { status: 403, title: 'This address has expired', log: false },
  host_not_allowed: { status: 403, title: 'This host name is not served here', log: false },
  not_found: { status: 404, title: 'Not found', log: false },
  method_not_allowed: { status: 405, title: 'This method is not supported here', log: false },
  request_timeout: { status: 408, title: 'The request took too long to arrive', log: false },
  conflict: { status: 409, title: 'This conflicts with the current state', log: false },
  precondition_failed: { status: 412, title: 'This has changed since you read it', log: false },
  too_large: { status: 413, title: 'The request body is too large', log: false },
  unsupported_media_type: { status: 415, title: 'The request body must be JSON', log: false },
  range_not_satisfiable: { status: 416, title: 'The requested range is outside the picture', log: false },
  rate_limited: { status: 429, title: 'Too many requests', log: false },
  headers_too_large: { status: 431, title: 'The request headers are too large', log: false },
  internal: { status: 500, title: 'Something went wrong on our side', log: true },
  unavailable: { status: 503, title: 'The service cannot answer right now', log: true },
  no_browser: { status: 503, title: 'There is no browser to take pictures with', log: true },
  storage_full: { status: 503, title: 'There is no space left to store anything', log: true },
  // Logged when it begins and when it ends, not with every request.
  read_only: { status: 503, title: 'Nothing can be written at the moment', log: false },
  storage_failed: { status: 503, title: 'The storage failed', log: true },
}

export type ErrorCode = ProblemCode

/** One mistake of a request: in its query, a header, or its body. */
export type Mistake = { readonly detail: string } & (
  | { readonly parameter: string }
  /** RFC 6901, as a fragment: `#/urls/0/url`. */
  | { readonly pointer: string }
)

/** A failure with a code from the closed set. `message` is for people and may reach the client. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly mistakes: readonly Mistake[]
  /** The message is safe to show to the client, although the fault is ours. */
  readonly isTold: boolean
  /** When the client should ask again. */
  readonly retryAfterS: number | undefined
  override readonly name = 'AppError'

  constructor(
    code: ErrorCode,
    message?: string,
    options?: ErrorOptions & { mistakes?: readonly Mistake[]; retryAfterS?: number; isTold?: boolean },
  ) {
    // The stack is only read if the error is logged. Capturing it takes a tenth of the time of a refused request.
    const { stackTraceLimit } = Error
    if (!failures[code].log) Error.stackTraceLimit = 0
    super(message ?? failures[code].title, options)
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.isTold = options?.isTold ?? false
    this.mistakes = options?.mistakes ?? []
    this.retryAfterS = options?.retryAfterS
  }
}

/** Whether writing fails for a reason that may go away by itself: no space, no rights, a read-only file system. */
export function cannotWrite(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === 'storage_full' || error.code === 'read_only')
}

/** For a row that was changed meanwhile. */
export function hasChanged(): AppError {
  return new AppError('precondition_failed', 'this has been changed since you read it: read it again')
}

export function describeFailure(code: ErrorCode): FailureKind {
  return failures[code]
}

/** All mistakes of a request. */
export function wrongRequest(mistakes: readonly Mistake[]): AppError {
  return new AppError('bad_request', 'the request has mistakes: see errors', { mistakes })
}
