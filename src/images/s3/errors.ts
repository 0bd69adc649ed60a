import { AppError } from '../../errors.ts'

/** Errors that the operator must fix, by the name that S3 gives them. */
const MISTAKES: Record<string, string> = {
  NoSuchBucket: 'there is no such bucket',
  InvalidAccessKeyId: 'the access key is unknown',
  SignatureDoesNotMatch: 'the secret key is wrong',
  AccessDenied:
    'the credentials do not allow this (without s3:ListBucket, S3 also says so for a missing object)',
  AuthorizationHeaderMalformed: 'the region is wrong',
  PermanentRedirect: 'the bucket is in another region or at another endpoint',
  InvalidToken: 'the session token is not valid',
}
const FULL = new Set(['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage'])

interface S3Failure extends NodeJS.ErrnoException {
  readonly $metadata?: { readonly httpStatusCode?: number }
}

/** The upload was cut or changed on its way. Another one may arrive whole. */
export function isDamaged(error: unknown): boolean {
  const names = ['BadDigest', 'XAmzContentSHA256Mismatch', 'IncompleteBody']
  return names.includes((error as S3Failure | undefined)?.name ?? '')
}

/** `NotFound` is the answer to a HEAD request, which has no body. */
export function isMissing(error: unknown): boolean {
  return ['NoSuchKey', 'NotFound'].includes((error as S3Failure | undefined)?.name ?? '')
}

/** For `catch`: undefined if S3 says that there is no such object. */
export function unlessMissing(error: Error): undefined {
  if (!isMissing(error.cause)) throw error
}

/** For `catch`: undefined if it is denied. Without the right to list a bucket, S3 also says so for a missing object. */
export function unlessDenied(error: AppError): undefined {
  const isDenied = error.code === 'storage_failed' && (error.cause as Error)?.name === 'AccessDenied'
  if (!isDenied) throw error
}

export function toImagesError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const { name, message, code, $metadata } = error as S3Failure
  const status = $metadata?.httpStatusCode
  if (FULL.has(name) || status === 507) {
    return new AppError('storage_full', 'The bucket that holds the pictures is full.', { cause: error })
  }
  if (status !== undefined && status < 500 && status !== 429 && status !== 408 && name !== 'RequestTimeout') {
    const reason = message.includes('Deserialization error')
      ? 'the server does not answer as S3 does'
      : (MISTAKES[status === 403 && !MISTAKES[name] ? 'AccessDenied' : name] ?? message)
    return new AppError('storage_failed', `S3 refused: ${reason} (${name}).`, { cause: error })
  }
  const slow = name === 'AbortError' || name === 'TimeoutError'
  if (status === undefined && code === undefined && !slow) return error
  const reason = slow
    ? 'it took too long (IMAGES_TIMEOUT)'
    : status === undefined
      ? message || code
      : `${status} ${name}`
  return new AppError('unavailable', `S3 cannot be reached or is busy: ${reason}.`, { cause: error })
}
