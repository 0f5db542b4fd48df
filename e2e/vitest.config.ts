import { availableParallelism } from 'node:os'
import { relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { endToEndTests } from '../scripts/lib/test/files.mjs'

/** Names of slow test files, in any folder. They start first, so that none runs alone at the end. */
const FIRST = [
  'accessible',
  'newcomer',
  'canary',
  'recordings',
  'hostile-page',
  'attacks',
  'silence',
  'faulty-network',
  'load',
  'soak',
  'terminal-screens',
  'booby-trapped-clone',
  'terminal-survives',
  'schedules',
  'other-clis',
  'killed-server',
  'disk',
]
const rank = ({ moduleId }: TestSpecification): number => {
  const at = FIRST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  return at === -1 ? FIRST.length : at
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
  }
}

const tests = endToEndTests()
const all = Object.values(tests).flat()
for (const name of FIRST)
  if (!all.some((file) => file.endsWith(`/${name}.test.ts`))) throw new Error(`no test is called ${name}`)
const here = (files: readonly string[]): string[] => files.map((file) => relative(import.meta.dirname, file))

/** Two projects, each with a server of its own: tests that use a browser, as their imports show, and all others. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // One more than cores, because a page often waits for the server. On two cores the third worker saves a fifth of
    // the time.
    maxWorkers: availableParallelism() + 1,
    // Tests with killed servers take two minutes on two busy cores, and twice as long on slow ones.
    testTimeout: 400_000,
    hookTimeout: 400_000,
    // The shared server ends with all its containers, for which a busy engine takes minutes.
    teardownTimeout: 400_000,
    expect: { poll: { timeout: 120_000, interval: 250 } },
    // A failure names the cells and console messages that it is about, because a busy machine may not repeat it.
    chaiConfig: { truncateThreshold: 2_000 },
    projects: [
      {
        extends: true,
        test: { name: 'clients', include: here(tests.clients), globalSetup: ['./support/global-setup.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: here(tests.browser),
          globalSetup: ['./support/global-setup.ts', './support/page/chromium.ts'],
        },
      },
    ],
  },
})
