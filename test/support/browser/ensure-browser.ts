import { findStarting, installBrowser } from '../../../src/camera/browser/install-browser.ts'
import { WHERE_TO_LOOK } from './test-browser.ts'

// A step of `npm test`: looks for a browser, and prints in one line which one the tests use. Without one, tests that need it
// are skipped; in CI (CI=true), where nobody would read that line, it is a failure.

const say = (text: string) => process.stdout.write(`${text}\n`)

try {
  const found =
    (await findStarting(WHERE_TO_LOOK)) ?? (await installBrowser(WHERE_TO_LOOK, { say, advance: () => {} }))
  say(`The tests take pictures with ${found.path}, a ${found.kind} ${found.origin} (${process.arch}).`)
} catch (error) {
  say((error as Error).message)
  if (process.env['CI'] === 'true') process.exitCode = 1
}
