import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build-gallery.ts'],
    // Real processes, disks and pictures: a slow, shared machine must not fail what is right.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    // Much of the time goes by waiting, for a lease to run out or a page to be given up: more at once than there are cores.
    maxWorkers: 4,
  },
})
