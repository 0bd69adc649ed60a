import { AppError } from '../../errors.ts'
import { CaptureFailure, type PageToShoot, type RunningBrowser, type Shot } from '../camera.ts'
import type { CameraSetup } from '../open-camera.ts'

// Threads send each other copies. A copy of an error has lost its class and its fields, so errors have a form of their own.

export type ThreadData = Pick<CameraSetup, 'fixedAddresses'>

export type Task = { readonly ready: true } | { readonly shoot: PageToShoot } | { readonly close: true }

export type ToThread = { readonly id: number } & ({ readonly task: Task } | { readonly abort: true })

export type FromThread =
  | { readonly id: number; readonly result: Result }
  | { readonly id: number; readonly error: SentError }
  | { readonly log: 'info' | 'warn'; readonly values: readonly unknown[] }

export type Result = RunningBrowser | SentShot | undefined

/** The bytes are handed over, not copied. */
export interface SentShot extends Omit<Shot, 'bytes'> {
  readonly bytes: Uint8Array<ArrayBuffer>
}

export interface SentError {
  readonly message: string
  readonly stack: string
  readonly failure?: Pick<CaptureFailure, 'reason' | 'seen'>
  readonly app?: Pick<AppError, 'code' | 'isTold'>
}

export function sendError(error: unknown): SentError {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  if (error instanceof CaptureFailure) {
    return { message, stack, failure: { reason: error.reason, seen: error.seen } }
  }
  if (error instanceof AppError) return { message, stack, app: { code: error.code, isTold: error.isTold } }
  return { message, stack }
}

export function receiveError({ message, stack, failure, app }: SentError): Error {
  const error = failure
    ? new CaptureFailure(failure.reason, message, failure.seen)
    : app
      ? new AppError(app.code, message, { isTold: app.isTold })
      : new Error(message)
  return Object.assign(error, { stack })
}
