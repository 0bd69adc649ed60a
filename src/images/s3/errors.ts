import { AppError } from '../../errors.ts'

/** What someone has to put right; said with the name that S3 gives it. */
const MISTAKES: Record<string, string> = {
  NoSuchBucket: 'there is no such bucket',
  InvalidAccessKeyId: 'it does not know the access key',
  SignatureDoesNotMatch: 'the secret key is not the right one',
  AccessDenied: 'the credentials do not allow this',
  AuthorizationHeaderMalformed: 'the region is another one',
  PermanentRedirect: 'the bucket lies in another region or behind another endpoint',
  InvalidToken: 'the session token is not valid',
}
const FULL = new Set(['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage'])

interface S3Failure extends NodeJS.ErrnoException {
  readonly $metadata?: { readonly httpStatusCode?: number }
}

export function isMissing(error: unknown): boolean {
  const { name, $metadata } = error as S3Failure
  return (
    name === 'NoSuchKey' ||
    name === 'NotFound' ||
    (name !== 'NoSuchBucket' && $metadata?.httpStatusCode === 404)
  )
}

export function toImagesError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const { name, message, code, $metadata } = error as S3Failure
  const status = $metadata?.httpStatusCode
  if (FULL.has(name) || status === 507) {
    return new AppError('storage_full', 'The bucket that holds the pictures is full.', { cause: error })
  }
  if (name === 'CredentialsProviderError') {
    return new AppError(
      'unavailable',
      `There are no credentials for S3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile or a role (${message})`,
      { cause: error },
    )
  }
  if (status !== undefined && status < 500 && status !== 429 && status !== 408) {
    const reason = MISTAKES[name] ?? message
    return new AppError('storage_failed', `S3 refused: ${reason} (${name}).`, { cause: error })
  }
  if (status === undefined && code === undefined && name !== 'AbortError' && name !== 'TimeoutError')
    return error
  const reason = status === undefined ? message || code : `${status} ${name}`
  return new AppError('unavailable', `S3 cannot be reached or is busy: ${reason}.`, { cause: error })
}
