import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['deployment/**', '**/node_modules/**'],
    globalSetup: ['support/global-setup.ts', 'support/chromium.ts'],
    // Two cores, and a browser or a CLI in most files.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 45_000, interval: 50 } },
  },
})
