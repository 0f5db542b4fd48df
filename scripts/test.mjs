// `npm test`: the set-up that tests need, then every check there is. The last line says how many passed.
import { ensureChromium } from './lib/set-up/chromium.mjs'
import { withNamespace } from './lib/namespace.mjs'
import { setUpDependencies, setUpImages, setUpSources } from './lib/set-up/set-up.mjs'
import { runStage, stages } from './lib/test/stages.mjs'
import { runMain, say, step, together } from './lib/steps.mjs'
import { failure, format, sum, tellFailures } from './lib/test/tally.mjs'

/** The exit code of a program that Ctrl+C ended. */
const INTERRUPTED = 130

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => interruption.abort())

const setUp = async () => {
  await setUpDependencies()
  const [image, , chromium] = await together([
    setUpImages(),
    setUpSources({ frontend: false }),
    step('Chromium', (announce) => ensureChromium({ announce })),
  ])
  return { SLIPWAY_IMAGES: image, SLIPWAY_TEST_IMAGE: image, PLAYWRIGHT_CHROMIUM: chromium }
}

/** Says once more what failed, prints the last line and answers the exit code. A run without any test is no success. */
const conclude = (total) => {
  process.stdout.write(tellFailures(total))
  process.stdout.write(`${format(total)}\n`)
  return total.failed === 0 && total.passed > 0 ? 0 : 1
}

await runMain(async () => {
  let prepared
  try {
    prepared = await setUp()
  } catch (error) {
    return conclude(failure(`set-up: ${error.message}`))
  }

  const { result, leftovers } = await withNamespace('test', async ({ env, folder }) => {
    const run = {
      env: { ...env, ...prepared },
      folder,
      signal: interruption.signal,
    }
    const tallies = []
    for (const stage of stages) tallies.push(await runStage(stage, run))
    return tallies
  })

  if (interruption.signal.aborted) {
    say('✗ interrupted')
    return INTERRUPTED
  }
  const left = leftovers.length > 0 ? [failure(`the tests left behind, now removed: ${leftovers.join(', ')}`)] : []
  return conclude(sum([...result, ...left]))
})
