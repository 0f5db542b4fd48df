// Proves the README's quick start: clones what is committed into an empty folder, with an empty home, starts it, opens
// the page, stops it. It uses a port and a namespace of its own.
//
//   --test            also runs `npm test` in the clone
//   --remove-images   first removes the project's images and the builder's cache
//   --machine         first stops the engine, with every container, and removes Docker's and Chromium's packages
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { DEVELOPER_IMAGE } from './images.mjs'
import { mustRun, runVisibly } from './lib/commands.mjs'
import { removeImages, removePrograms } from './lib/fresh/fresh-machine.mjs'
import { withNamespace } from './lib/namespace.mjs'
import { root } from './lib/paths.mjs'
import { followQuickStart } from './lib/fresh/quick-start.mjs'
import { elapsed, runMain, say, step } from './lib/steps.mjs'

const wants = (flag) => process.argv.includes(flag)

/** An environment without anything of this checkout, of npm's run or of the user's home. */
const emptied = (env, home) => {
  const kept = Object.entries(env).filter(([name]) => !/^npm_|^INIT_CWD$|^SLIPWAY_(DATA_DIR|PORT|TEST)/.test(name))
  const path = (env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  return {
    ...Object.fromEntries(kept),
    PATH: path.join(delimiter),
    HOME: home,
    // These settings say where this machine gets packages from, so they stay.
    NPM_CONFIG_USERCONFIG: process.env.npm_config_userconfig ?? join(homedir(), '.npmrc'),
  }
}

await runMain(async () => {
  if (wants('--remove-images')) await step('removing images', () => removeImages(DEVELOPER_IMAGE))
  if (wants('--machine')) await step('removing programs', () => removePrograms())

  const { result } = await withNamespace('fresh', async ({ namespace, folder, env }) => {
    const clone = join(folder, 'slipway')
    const home = join(folder, 'home')
    mkdirSync(home)
    await mustRun(['git', 'clone', '--quiet', root, clone])
    const own = emptied(env, home)
    const { readyMs, stopMs } = await followQuickStart(clone, own)
    say(`✓ ready after ${elapsed(readyMs)}, stopped ${elapsed(stopMs)} after Ctrl+C`)

    const second = { SLIPWAY_DATA_DIR: join(folder, 'second'), SLIPWAY_NAMESPACE: `${namespace}-second` }
    const again = await followQuickStart(clone, { ...own, ...second })
    say(`✓ ready after ${elapsed(again.readyMs)} when nothing had changed`)
    return wants('--test') ? runVisibly(['npm', 'test'], { cwd: clone, env: own }) : 0
  })
  return result
})
