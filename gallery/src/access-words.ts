import type { KeyScope } from '../../src/contract/access.ts'

/** The scope of a key, in words. */
export const SCOPE_WORDS: Record<KeyScope, string> = {
  read: 'may read',
  write: 'may read and capture',
  admin: 'may do everything, in all projects',
}
