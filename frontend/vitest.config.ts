import { globSync, readFileSync } from 'node:fs'
import { mergeConfig } from 'vite'
import { defineConfig } from 'vitest/config'
import base from './vite.config.ts'

const tests = globSync('src/**/*.test.ts', { cwd: import.meta.dirname })
/** Whether a test replaces modules. Such a test cannot share the loaded modules with other tests. */
const replacesModules = (test: string): boolean => /\bvi\.(?:mock|doMock)\(/.test(readFileSync(test, 'utf8'))

/** Each module is loaded once for all tests that share it. Loading all of them for each file takes four fifths of the time. */
export default mergeConfig(
  base,
  defineConfig({
    test: {
      environment: 'node',
      restoreMocks: true,
      unstubGlobals: true,
      // What Nuxt UI's plugin sets does not reach the projects.
      server: { deps: { inline: ['@nuxt/ui'] } },
      projects: [
        {
          extends: true,
          test: { name: 'shared', isolate: false, include: tests.filter((test) => !replacesModules(test)) },
        },
        { extends: true, test: { name: 'mocked', include: tests.filter(replacesModules) } },
      ],
    },
  }),
)
