import type { Reporter, TestModule } from 'vitest/node'
import { INSTALL_COMMAND } from '../../../src/camera/browser/browser.ts'

/** The tag of tests that need a browser: `// @module-tag browser` in the first lines of a file. */
export const BROWSER_TAG = 'browser'

/** Says in the last line how many tests were skipped without a browser. */
export function createBrowserReporter(): Reporter {
  return {
    onTestRunEnd(modules: readonly TestModule[]) {
      const tests = modules.flatMap((module) => [...module.children.allTests('skipped')])
      const { length } = tests.filter(({ tags }) => tags.includes(BROWSER_TAG))
      process.stdout.write(
        `\nNo browser was found: ${length} tests that need one were skipped. Install one with: ${INSTALL_COMMAND}\n`,
      )
    },
  }
}
