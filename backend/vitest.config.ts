import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Two cores; each file may hold a database in a thread of its own.
    maxWorkers: 2,
    // Far above what they take; the machine may be busy with containers at the same time.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
