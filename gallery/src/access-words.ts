import type { KeyScope } from '../../src/contract/access.ts'

/** What a key allows. */
export const SCOPE_WORDS: Record<KeyScope, string> = {
  read: 'may read',
  write: 'may read and capture',
  admin: 'may do everything, in all projects',
}
