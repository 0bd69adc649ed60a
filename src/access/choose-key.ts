import { KEY_SCOPES } from '../contract/access.ts'
import { isOpenTo } from './door.ts'
import type { GivenKey } from './keys.ts'

/**
 * A session may have several keys, but a request uses one of them: of those that open its project, the one that allows most.
 * If none opens it, or it names no project, the one that allows most of all. Undefined if there are no keys.
 */
export function chooseKey(keys: readonly GivenKey[], projectText: string | undefined): GivenKey | undefined {
  const opening = projectText === undefined ? [] : keys.filter(({ key }) => isOpenTo(key, projectText))
  let best: GivenKey | undefined
  for (const given of opening.length > 0 ? opening : keys) {
    if (!best || rank(given) > rank(best)) best = given
  }
  return best
}

function rank({ key }: GivenKey): number {
  return KEY_SCOPES.indexOf(key.scope)
}
