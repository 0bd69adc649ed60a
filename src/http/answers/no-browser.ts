import { AppError } from '../../errors.ts'
import type { HttpContext } from '../context.ts'

/** For whoever asks, who need not know where on this machine a browser lies. The operator sees why. */
const DOES_NOT_START =
  'The browser does not start. The operator can find out why with: npx proofsheet browser'

/** What to tell of `no_browser`: without a path of this machine. */
export function withoutPath(message: string): string {
  return message.includes('/') ? DOES_NOT_START : message
}

/** Why nothing can be captured; undefined where it can, by this process or by others. */
export async function findMissingBrowser({
  findBrowser,
}: Pick<HttpContext, 'findBrowser'>): Promise<string | undefined> {
  try {
    await findBrowser()
    return undefined
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'no_browser') throw error
    return withoutPath(error.message)
  }
}
