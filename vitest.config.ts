import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Real processes, disks and pictures: a slow, shared machine must not fail what is right.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
