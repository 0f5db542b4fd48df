// The common part of `npm run bench`, `load`, `soak` and `picture`: the set-up, then a program with its own namespace
// and data folder.
import { ensureChromium } from './set-up/chromium.mjs'
import { runVisibly } from './commands.mjs'
import { withNamespace } from './namespace.mjs'
import { inRoot, projectNode } from './paths.mjs'
import { setUpDependencies, setUpImages, setUpSources } from './set-up/set-up.mjs'
import { runMain, step, together } from './steps.mjs'

/** Sets up the browser that a program drives. For `prepare` below. */
export const withChromium = async () => ({
  PLAYWRIGHT_CHROMIUM: await step('Chromium', (announce) => ensureChromium({ announce })),
})

/**
 * Runs a program of the checkout, and ends with its exit code.
 *
 * @param {string} purpose part of the namespace's name, e.g. `bench`
 * @param {string[]} program path segments below the checkout's top folder
 * @param {{prepare?: () => Promise<NodeJS.ProcessEnv>, argv?: string[]}} [options] `prepare` sets up what else the
 *   program needs, and answers variables for it; `argv` is its arguments, by default those of this process
 */
export const runPrepared = async (
  purpose,
  program,
  { prepare = async () => ({}), argv = process.argv.slice(2) } = {},
) => {
  const interruption = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => interruption.abort())

  await runMain(async () => {
    await setUpDependencies()
    const [image, , prepared] = await together([setUpImages(), setUpSources(), prepare()])
    const { result } = await withNamespace(purpose, ({ env }) =>
      runVisibly([projectNode(), inRoot(...program), ...argv], {
        env: { ...env, ...prepared, SLIPWAY_IMAGES: image, SLIPWAY_TEST_IMAGE: image },
        signal: interruption.signal,
      }),
    )
    return result
  })
}
