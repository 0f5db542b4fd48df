import { relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { backendTests } from '../scripts/lib/test/files.mjs'

const tests = backendTests()
const here = (files: readonly string[]): string[] => files.map((file) => relative(import.meta.dirname, file))

/** Where no engine listens: a test of another project than `engine` that asks one after all fails. */
const NO_ENGINE = { DOCKER_HOST: 'unix:///nonexistent/docker.sock' }

/** Three projects by what a test reaches, which its imports say: nothing, a database, the engine. */
export default defineConfig({
  test: {
    // Two cores, and most tests keep one busy.
    maxWorkers: 2,
    setupFiles: ['./test/support/server/documented-setup.ts'],
    // Each module is loaded once, not once for each of the files, which takes an eighth of the time; nothing of a test is left in one.
    isolate: false,
    // Far above what they take; the machine may be busy with containers at the same time.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 180_000,
    expect: { poll: { timeout: 120_000, interval: 100 } },
    projects: [
      { extends: true, test: { name: 'unit', include: here(tests.unit), env: NO_ENGINE } },
      {
        extends: true,
        test: {
          name: 'database',
          include: here(tests.database),
          env: NO_ENGINE,
          globalSetup: ['./test/support/database/postgres-server.ts', './test/support/database/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'engine',
          include: here(tests.engine),
          globalSetup: ['./test/support/database/postgres-server.ts', './test/support/database/global-setup.ts'],
        },
      },
    ],
  },
})
