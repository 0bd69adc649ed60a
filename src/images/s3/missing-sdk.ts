import { AppError } from '../../errors.ts'

/** An optional peer dependency: with pictures in a folder it is not needed. */
const SDK = '@aws-sdk/client-s3'

/** Says what to install if the SDK is missing. */
export function explainMissingSdk(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !error.message.includes(`'${SDK}'`)) throw error
  throw new AppError(
    'storage_failed',
    `Pictures in S3 need a package that is not installed. Run: npm install ${SDK}`,
    { cause: error },
  )
}
