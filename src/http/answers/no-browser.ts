import { AppError } from '../../errors.ts'
import type { HttpContext } from '../context.ts'

/** For clients, which must not see paths of this machine. The operator can see the reason. */
const DOES_NOT_START =
  'The browser does not start. The operator can find out why with: npx proofsheet browser'

/** The message of `no_browser` without paths of this machine. */
export function withoutPath(message: string): string {
  return message.includes('/') ? DOES_NOT_START : message
}

/** Why nothing can be captured. Undefined if this process or other processes can capture. */
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
