/** `npx vitest run -c tour/vitest.config.ts` in `e2e`: a picture of every page and state, to be looked at. */
import { defineConfig } from 'vitest/config'
import base from '../vitest.config.ts'

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    root: new URL('..', import.meta.url).pathname,
    include: ['tour/**/*.tour.ts'],
    testTimeout: 600_000,
  },
})
