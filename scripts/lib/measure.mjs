// What the commands that measure have in common: the set-up, then a program, in a namespace and a data folder of its own.
import { ensureChromium } from './set-up/chromium.mjs'
import { runVisibly } from './commands.mjs'
import { withNamespace } from './namespace.mjs'
import { inRoot, projectNode } from './paths.mjs'
import { setUpDependencies, setUpImages, setUpSources } from './set-up/set-up.mjs'
import { runMain, step, together } from './steps.mjs'

/**
 * Runs a program of `bench` with this process's arguments, and ends with its exit code.
 *
 * @param {string} purpose part of the namespace's name, e.g. `bench`
 * @param {string[]} program path segments below `bench/src`
 * @param {{needsBrowser?: boolean}} [options]
 */
export const measure = async (purpose, program, { needsBrowser = false } = {}) => {
  const interruption = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => interruption.abort())

  await runMain(async () => {
    await setUpDependencies()
    const chromium = async () =>
      needsBrowser ? { PLAYWRIGHT_CHROMIUM: await step('Chromium', (announce) => ensureChromium({ announce })) } : {}
    const [image, , browser] = await together([setUpImages(), setUpSources(), chromium()])
    const argv = [projectNode(), inRoot('bench', 'src', ...program), ...process.argv.slice(2)]
    const { result } = await withNamespace(purpose, ({ env }) =>
      runVisibly(argv, {
        env: { ...env, ...browser, SLIPWAY_IMAGES: image, SLIPWAY_TEST_IMAGE: image },
        signal: interruption.signal,
      }),
    )
    return result
  })
}
