import { defineConfig } from 'vitest/config'

/** Tests of deployments: Compose, a reverse proxy, backups. `npm test` builds their images first. */
export default defineConfig({
  test: {
    include: ['deployment/**/*.test.ts'],
    // Each file starts a whole installation.
    fileParallelism: false,
    // As in `vitest.config.ts`: a test may start three servers.
    testTimeout: 400_000,
    hookTimeout: 400_000,
    expect: { poll: { timeout: 60_000, interval: 100 } },
  },
})
