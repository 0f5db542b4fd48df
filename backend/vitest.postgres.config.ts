import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

const FOLDERS = ['rights', 'audit', 'idempotency', 'identity', 'sharing', 'access']

/** What depends on the database, once more on PostgreSQL. The faults have servers of their own, and are tried in the other run. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: FOLDERS.map((name) => `test/${name}/**/*.test.ts`),
    globalSetup: ['test/support/global-setup.ts', 'test/support/postgres-server.ts'],
  },
})
