// `npm run bench`: the set-up, then the measurements, in a namespace and a data folder of their own.
import { runVisibly } from './lib/commands.mjs'
import { withNamespace } from './lib/namespace.mjs'
import { inRoot, projectNode } from './lib/paths.mjs'
import { setUpDependencies, setUpImages, setUpSources } from './lib/set-up.mjs'
import { runMain, together } from './lib/steps.mjs'

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => interruption.abort())

await runMain(async () => {
  await setUpDependencies()
  const [image] = await together([setUpImages(), setUpSources()])
  const argv = [projectNode(), '--expose-gc', inRoot('bench', 'src', 'main.ts'), ...process.argv.slice(2)]
  const { result } = await withNamespace('bench', ({ env }) =>
    runVisibly(argv, {
      env: { ...env, SLIPWAY_IMAGES: image, SLIPWAY_TEST_IMAGE: image },
      signal: interruption.signal,
    }),
  )
  return result
})
