import type { ApiKey } from '../../../access/keys.ts'
import type { Key } from '../../../contract/access.ts'

/** A key as it is shown: without the hash of its secret. */
export function toKey({ keyId, scope, projectId, label, created, revoked }: ApiKey): Key {
  return {
    ...{ keyId, scope },
    ...(projectId !== undefined && { projectId }),
    ...{ label, created },
    ...(revoked !== undefined && { revoked }),
  }
}
