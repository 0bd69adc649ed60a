import { findStarting, installBrowser } from '../../../src/camera/browser/install-browser.ts'
import { WHERE_TO_LOOK } from './test-browser.ts'

// A step of `npm test`: makes sure of a browser, and says in one line which one the tests take. Without one, what needs it
// is skipped; where nobody would read that (CI=true), it is a failure.

const say = (text: string) => process.stdout.write(`${text}\n`)

try {
  const found =
    (await findStarting(WHERE_TO_LOOK)) ?? (await installBrowser(WHERE_TO_LOOK, { say, advance: () => {} }))
  say(`The tests take pictures with ${found.path}, a ${found.kind} ${found.origin} (${process.arch}).`)
} catch (error) {
  say((error as Error).message)
  if (process.env['CI'] === 'true') process.exitCode = 1
}
