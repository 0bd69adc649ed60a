import { compareWithPlaywright } from './against-playwright.ts'
import { type Options, readOptions } from './options.ts'
import { checkRepeatable } from './repeatable.ts'
import { checkRight } from './right.ts'
import { checkUndisturbed } from './undisturbed.ts'

const CHECKS: Readonly<Record<string, (options: Options) => Promise<void>>> = {
  right: checkRight,
  repeatable: checkRepeatable,
  'against-playwright': compareWithPlaywright,
  undisturbed: checkUndisturbed,
}

/** False where the first word is none of these. */
export async function runRealPages([name = '', ...rest]: readonly string[]): Promise<boolean> {
  const check = Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined
  await check?.(await readOptions(rest))
  return check !== undefined
}
