import { defineConfig } from 'vitest/config'

/** What depends on the kernel's control groups, in a guest whose kernel has those of version 2 (scripts/lib/test/guest.mjs). */
export default defineConfig({
  test: {
    include: ['src/runtime/docker/facts/memory-limits.test.ts'],
    // No process in there can have more than 256 MB.
    experimental: { viteModuleRunner: false },
    // What takes a second elsewhere takes ten there.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
