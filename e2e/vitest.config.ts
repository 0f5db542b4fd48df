import { availableParallelism } from 'node:os'
import { relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { endToEndTests } from '../scripts/lib/test/files.mjs'

/** What takes long begins first, so that none of it runs alone in the end. */
const FIRST = [
  'pages/accessible',
  'returning/reconnecting',
  'terminal/watching',
  'recordings/recordings',
  'returning/leave-and-return',
  'arrival/hostile-page',
  'returning/exact-repaint',
  'terminal/attacks',
  'protocol/silence',
  'protocol/faulty-network',
  'protocol/load',
  'protocol/soak',
  'protocol/terminal-screens',
  'protocol/booby-trapped-clone',
  'protocol/terminal-survives',
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
const here = (files: readonly string[]): string[] => files.map((file) => relative(import.meta.dirname, file))

/** Two projects, each with a server of its own: tests that drive a browser, which their imports say, and those that do not. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // One more than cores: a page often waits for the server. On two cores the third worker saves a fifth of the time.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 45_000, interval: 100 } },
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
