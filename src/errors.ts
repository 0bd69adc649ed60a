import { check } from './contract/check.ts'
import { PROBLEMS, type ProblemCode } from './contract/problem.ts'
import type { Schema } from './contract/schema.ts'

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
    const { title, log } = describeFailure(code)
    if (!log) Error.stackTraceLimit = 0
    super(message ?? title, options)
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

/** Throws `not_found` if there is none. */
export function need<T>(found: T | undefined): T {
  if (found === undefined) throw new AppError('not_found')
  return found
}

/** For a row that was changed meanwhile. */
export function hasChanged(): AppError {
  return new AppError('precondition_failed', 'this has been changed since you read it: read it again')
}

/** The status and the title of a failure, and whether it is logged. */
export function describeFailure(code: ErrorCode): { status: number; title: string; log: boolean } {
  const { status, title } = PROBLEMS[code]
  // What cannot be written is logged when it begins and when it ends, not with every request.
  return { status, title, log: status >= 500 && code !== 'read_only' }
}

/** All mistakes of a request. */
export function wrongRequest(mistakes: readonly Mistake[]): AppError {
  return new AppError('bad_request', 'the request has mistakes: see errors', { mistakes })
}

/** Throws `bad_request` with all mistakes of a body. */
export function requireValid<T>(schema: Schema<T>, body: unknown): T {
  const { value, mistakes } = check(schema, body, { nothing: 'not_given' })
  if (mistakes) throw wrongRequest(mistakes)
  return value
}
