import { defineConfig } from 'vitest/config'

/** What stands around the platform: Compose, a reverse proxy, backups. `npm test` builds the images that it needs before. */
export default defineConfig({
  test: {
    include: ['deployment/**/*.test.ts'],
    // Each of them starts a whole installation.
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000, interval: 100 } },
  },
})
