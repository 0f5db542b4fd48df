/** `npx vitest run -c tour/vitest.config.ts` in `e2e` takes a screenshot of every page and state. */
import { defineConfig } from 'vitest/config'
import base from '../vitest.config.ts'

/** One project takes all screenshots. */
const shared = { ...base.test }
delete shared.projects

export default defineConfig({
  test: {
    ...shared,
    root: new URL('..', import.meta.url).pathname,
    include: ['tour/**/*.tour.ts'],
    globalSetup: ['support/global-setup.ts', 'support/page/chromium.ts'],
    testTimeout: 600_000,
  },
})
