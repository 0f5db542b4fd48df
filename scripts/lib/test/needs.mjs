// The parts of the set-up that tests need. A run makes only those that its tests need, each once.
import { ensureDeveloperImage } from '../../images.mjs'
import { ensurePostgresImage, ensureSlipwayImage } from '../images/platform-images.mjs'
import { ensureDatabaseClient, ensureFrontend } from '../set-up/build.mjs'
import { ensureChromium } from '../set-up/chromium.mjs'
import { ensureCompose } from '../set-up/compose-program.mjs'
import { ensureDependencies } from '../set-up/dependencies.mjs'
import { ensureEngine } from '../set-up/engine.mjs'
import { ensureNftables } from '../set-up/nftables-program.mjs'
import { ensureNginx } from '../set-up/nginx-program.mjs'
import { ensurePostgres } from '../set-up/postgres-program.mjs'
import { ensureSshClient } from '../set-up/ssh-programs.mjs'
import { step } from '../steps.mjs'
import { ensureGuest } from './guest.mjs'

/**
 * @typedef {object} Need
 * @property {string} title its name in the output of the set-up
 * @property {string[]} after other needs, which must exist before
 * @property {(options: {announce: (line: string) => void, env: NodeJS.ProcessEnv}) => Promise<NodeJS.ProcessEnv |
 *   void>} make gets the variables of the needs before it; answers variables for the tests
 */

/** @type {Record<string, Need>} */
export const NEEDS = {
  dependencies: { title: 'dependencies', after: [], make: ensureDependencies },
  client: { title: 'database client', after: ['dependencies'], make: ensureDatabaseClient },
  bundle: { title: 'front end', after: ['dependencies'], make: ensureFrontend },
  chromium: {
    title: 'Chromium',
    after: ['dependencies'],
    make: async (options) => ({ PLAYWRIGHT_CHROMIUM: await ensureChromium(options) }),
  },
  engine: {
    title: 'Docker Engine',
    after: ['dependencies'],
    make: async (options) => {
      await ensureEngine(options)
      return process.env.DOCKER_HOST === undefined ? {} : { DOCKER_HOST: process.env.DOCKER_HOST }
    },
  },
  image: {
    title: 'developer image',
    after: ['engine'],
    make: async (options) => {
      const image = process.env.SLIPWAY_IMAGES ?? (await ensureDeveloperImage(options))
      return { SLIPWAY_IMAGES: image, SLIPWAY_TEST_IMAGE: image }
    },
  },
  postgres: {
    title: 'PostgreSQL',
    after: ['dependencies'],
    make: async (options) => ({ PATH: `${await ensurePostgres(options)}:${process.env.PATH}` }),
  },
  nftables: { title: 'nftables', after: ['dependencies'], make: ensureNftables },
  compose: {
    title: 'Docker Compose',
    after: ['engine'],
    make: async (options) => ({ SLIPWAY_TEST_COMPOSE: (await ensureCompose(options)).join(' ') }),
  },
  nginx: { title: 'nginx', after: ['dependencies'], make: ensureNginx },
  ssh: { title: 'OpenSSH client', after: ['dependencies'], make: ensureSshClient },
  'platform-image': {
    title: 'platform image',
    after: ['image'],
    make: async ({ announce, env }) => ({
      SLIPWAY_TEST_PLATFORM_IMAGE: await ensureSlipwayImage({ developerImage: env.SLIPWAY_TEST_IMAGE, announce }),
    }),
  },
  'postgres-image': {
    title: 'PostgreSQL image',
    after: ['engine'],
    make: async ({ announce }) => {
      const chosen = process.env.SLIPWAY_POSTGRES_IMAGE
      return { SLIPWAY_TEST_POSTGRES_IMAGE: await ensurePostgresImage({ chosen, announce }) }
    },
  },
  guest: { title: 'guest', after: ['dependencies'], make: ensureGuest },
}

/**
 * These needs and all that must exist before them, each after its own needs. @param {Iterable<string>} names @returns
 * {string[]}
 */
export const withThoseBefore = (names) => {
  const all = new Set()
  const add = (name) => {
    for (const before of NEEDS[name].after) add(before)
    all.add(name)
  }
  for (const name of names) add(name)
  return [...all]
}

/** Makes one need. @param {string} name @param {NodeJS.ProcessEnv} env the variables of the needs before it */
export const makeNeed = async (name, env) => {
  const { title, make } = NEEDS[name]
  return (await step(title, (announce) => make({ announce, env }))) ?? {}
}
