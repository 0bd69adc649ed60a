import { AppError } from '../../errors.ts'

/** An optional peer: who keeps pictures in a folder does not install it. */
const SDK = '@aws-sdk/client-s3'

/** What to run, where the driver does not load because its SDK is not there. */
export function explainMissingSdk(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !error.message.includes(`'${SDK}'`)) throw error
  throw new AppError(
    'storage_failed',
    `Pictures in S3 need a package that is not installed. Run: npm install ${SDK}`,
    { cause: error },
  )
}
