// `npm run up`: does all the set-up, then runs the platform until Ctrl+C. With `--dev` it reloads on every change.
import { supervise } from './lib/child.mjs'
import { startFrontendServer } from './lib/frontend-server.mjs'
import { inRoot, projectNode, root } from './lib/paths.mjs'
import { runMain, together } from './lib/steps.mjs'
import { setUpDependencies, setUpImages, setUpSources } from './lib/set-up/set-up.mjs'

const dev = process.argv.includes('--dev')

await runMain(async () => {
  await setUpDependencies()
  // The engine's set-up and the sources' are independent. Side by side, a first build of both takes the time of one.
  const [images] = await together([setUpImages(), setUpSources({ frontend: !dev })])

  const stopFrontend = dev ? startFrontendServer() : () => {}
  try {
    const watch = dev ? ['--watch', '--watch-preserve-output'] : []
    return await supervise([projectNode(), ...watch, inRoot('backend', 'src', 'main.ts')], {
      cwd: root,
      env: { ...process.env, SLIPWAY_IMAGES: images },
    })
  } finally {
    stopFrontend()
  }
})
