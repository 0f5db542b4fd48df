// Builds the images of the agents. As a program it builds what is missing and prints the image's name.
import { pathToFileURL } from 'node:url'
import { ensureEngine } from './lib/set-up/engine.mjs'
import { ensureImage } from './lib/images/image.mjs'
import { inRoot } from './lib/paths.mjs'
import { runMain, say, step } from './lib/steps.mjs'

const FOLDER = inRoot('images', 'developer')
/** The image's name without its tag. */
export const DEVELOPER_IMAGE = 'slipway-developer'
/**
 * Makes sure that the developer image for this checkout exists. It builds the image only if something has changed that
 * decides its content. One process builds at a time.
 *
 * @param {{announce?: (line: string) => void, log?: (line: string) => void}} [options] either is called with each line
 *   of progress. SLIPWAY_CLIS in the environment chooses the CLIs, e.g. `claude codex`; all of them when unset.
 * @returns {Promise<string>} its tag, `slipway-developer:<twelve hexadecimal digits>`
 * @throws {SetUpError} with the end of the output when the build fails
 */
export const ensureDeveloperImage = async ({ log = say, announce = log } = {}) => {
  const buildArgs = {
    ...(process.env.SLIPWAY_CLIS && { CLIS: process.env.SLIPWAY_CLIS }),
    ...(process.env.SLIPWAY_BASE_IMAGE && { BASE_IMAGE: process.env.SLIPWAY_BASE_IMAGE }),
  }
  return ensureImage({ name: DEVELOPER_IMAGE, folder: FOLDER, buildArgs, announce })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await runMain(async () => {
    await step('Docker Engine', (announce) => ensureEngine({ announce }))
    process.stdout.write(`${await step('developer image', (announce) => ensureDeveloperImage({ announce }))}\n`)
  })
}
