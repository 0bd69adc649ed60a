import { AppError, type ErrorCode } from '../../errors.ts'
import { CaptureFailure, type PageToShoot, type RunningBrowser, type Shot } from '../camera.ts'
import type { CameraSetup } from '../open-camera.ts'

// Threads send each other copies. A copy of an error has lost its class and its fields, so errors have a form of their own.

export type ThreadData = Pick<CameraSetup, 'fixedAddresses'>

/** A request to the camera. */
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

export type SentError = { readonly message: string; readonly stack: string | undefined } & (
  | {
      readonly kind: 'capture'
      readonly reason: CaptureFailure['reason']
      readonly seen: Shot['seen'] | undefined
    }
  | { readonly kind: 'app'; readonly code: ErrorCode; readonly isTold: boolean }
  | { readonly kind: 'other' }
)

export function sendError(error: unknown): SentError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  if (error instanceof CaptureFailure) {
    return { kind: 'capture', message, stack, reason: error.reason, seen: error.seen }
  }
  if (error instanceof AppError) {
    return { kind: 'app', message, stack, code: error.code, isTold: error.isTold }
  }
  return { kind: 'other', message, stack }
}

export function receiveError(sent: SentError): Error {
  const error = make(sent)
  if (sent.stack !== undefined) error.stack = sent.stack
  return error
}

function make(sent: SentError): Error {
  switch (sent.kind) {
    case 'capture':
      return new CaptureFailure(sent.reason, sent.message, sent.seen)
    case 'app':
      return new AppError(sent.code, sent.message, { isTold: sent.isTold })
    case 'other':
      return new Error(sent.message)
  }
}
