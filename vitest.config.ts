import { defineConfig } from 'vitest/config'
import { findStarting } from './src/camera/browser/install-browser.ts'
import { WHERE_TO_LOOK } from './test/support/browser/test-browser.ts'
import { BROWSER_TAG, createBrowserReporter } from './test/support/runner/browser-reporter.ts'
import { LongestFirst } from './test/support/runner/longest-first.ts'
import { PATIENCE_MS } from './test/support/runner/patience.ts'

/** `--mode ordeals`: kills, soaks, load, attacks, faults and packages. A change needs the others. */
export default defineConfig(async ({ mode }) => {
  const hasBrowser = (await findStarting(WHERE_TO_LOOK)) !== undefined
  return {
    test: {
      include: [mode === 'ordeals' ? 'test/**/*.ordeal.ts' : 'test/**/*.test.ts'],
      globalSetup: [
        'test/support/runner/memory-folder.ts',
        'test/support/runner/build-gallery.ts',
        'test/support/runner/build-program.ts',
        'test/support/servers/shared-postgres.ts',
      ],
      setupFiles: ['test/support/runner/own-flags.ts'],
      tags: [{ name: BROWSER_TAG, description: 'Needs a browser.', skip: !hasBrowser }],
      reporters: ['default', ...(hasBrowser ? [] : [createBrowserReporter()])],
      // Real processes, disks and pictures: a slow, shared machine must not fail what is right. These end what hangs.
      testTimeout: 180_000,
      hookTimeout: 180_000,
      expect: { poll: { timeout: PATIENCE_MS } },
      // Some tests wait, for a lease to run out or a page to be given up: more at once than there are cores, which are busy then.
      // With 6 on two cores the same tests use 7 % more processor time, and with 3 the cores are idle for a tenth of it.
      maxWorkers: 4,
      // The files of a worker share its process: each begins warm, and undoes what it changes there.
      isolate: false,
      sequence: { sequencer: LongestFirst },
    },
  }
})
