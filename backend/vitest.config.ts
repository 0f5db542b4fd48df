import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/compiled-database.ts'],
    // Two cores; each file may hold a database in a thread of its own.
    maxWorkers: 2,
    // Each module is loaded once, not once for each of the files, which takes an eighth of the time; nothing of a test is left in one.
    isolate: false,
    // Far above what they take; the machine may be busy with containers at the same time.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
})
