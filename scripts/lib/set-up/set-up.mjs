// The set-up that all commands share. Each part runs only when it is needed.
import { ensureDeveloperImage } from '../../images.mjs'
import { ensureDatabaseClient, ensureFrontend } from './build.mjs'
import { ensureDependencies } from './dependencies.mjs'
import { ensureEngine } from './engine.mjs'
import { step } from '../steps.mjs'

/** Runs first, because builds need the dependencies. */
export const setUpDependencies = () => step('dependencies', (announce) => ensureDependencies({ announce }))

/**
 * Sets up the engine and the image for agents.
 *
 * @returns {Promise<string>} the images that agents may use: SLIPWAY_IMAGES if it is set, otherwise the one built here
 */
export const setUpImages = async () => {
  await step('Docker Engine', (announce) => ensureEngine({ announce }))
  if (process.env.SLIPWAY_IMAGES) return process.env.SLIPWAY_IMAGES
  return step('developer image', (announce) => ensureDeveloperImage({ announce }))
}

/** Builds what comes from the sources. `frontend: false` leaves out the front end. */
export const setUpSources = async ({ frontend = true } = {}) => {
  await step('database client', (announce) => ensureDatabaseClient({ announce }))
  if (frontend) await step('front end', (announce) => ensureFrontend({ announce }))
}
