// The set-up that every command shares, each part only when it is needed.
import { ensureDeveloperImage } from '../../images.mjs'
import { ensureDatabaseClient, ensureFrontend } from './build.mjs'
import { ensureDependencies } from './dependencies.mjs'
import { ensureEngine } from './engine.mjs'
import { step } from '../steps.mjs'

/** Dependencies first: what is built is built with them. */
export const setUpDependencies = () => step('dependencies', (announce) => ensureDependencies({ announce }))

/**
 * The engine and the image for agents.
 *
 * @returns {Promise<string>} the images that agents may use: SLIPWAY_IMAGES where it is set, else the one built here
 */
export const setUpImages = async () => {
  await step('Docker Engine', (announce) => ensureEngine({ announce }))
  if (process.env.SLIPWAY_IMAGES) return process.env.SLIPWAY_IMAGES
  return step('developer image', (announce) => ensureDeveloperImage({ announce }))
}

/** What is made from the sources. `frontend: false` leaves out the bundle. */
export const setUpSources = async ({ frontend = true } = {}) => {
  await step('database client', (announce) => ensureDatabaseClient({ announce }))
  if (frontend) await step('front end', (announce) => ensureFrontend({ announce }))
}
