// `npm run compose`: prepares what docker-compose.yml needs on this machine. It builds missing images, writes their
// names to .env, and makes the database's password once. It starts nothing.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { ensureDeveloperImage } from './images.mjs'
import { ensureCompose } from './lib/set-up/compose-program.mjs'
import { ensureEngine } from './lib/set-up/engine.mjs'
import { withVariables } from './lib/set-up/env-file.mjs'
import { inRoot } from './lib/paths.mjs'
import { ensurePostgresImage, ensureSlipwayImage } from './lib/images/platform-images.mjs'
import { runMain, say, SetUpError, step } from './lib/steps.mjs'

const SOCKET = process.env.SLIPWAY_DOCKER_SOCKET ?? '/var/run/docker.sock'
const ENV_FILE = inRoot('.env')
const SECRETS = inRoot('secrets')

/** The group that may use the engine. Compose adds the platform's user in its container to this group. */
const groupOfSocket = () => {
  if (!existsSync(SOCKET)) throw new SetUpError(`${SOCKET} does not exist: name the socket in SLIPWAY_DOCKER_SOCKET.`)
  return String(statSync(SOCKET).gid)
}

/** Only the folder's owner can reach the file. Inside the containers, users with other ids read it. */
const makePassword = () => {
  mkdirSync(SECRETS, { recursive: true, mode: 0o700 })
  const file = inRoot('secrets', 'database_password')
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o444 })
}

await runMain(async () => {
  await step('Docker Engine', (announce) => ensureEngine({ announce }))
  const compose = await step('Docker Compose', (announce) => ensureCompose({ announce }))
  const developerImage = await step('developer image', (announce) => ensureDeveloperImage({ announce }))
  const images = {
    SLIPWAY_IMAGES: developerImage,
    SLIPWAY_IMAGE: await step('platform image', (announce) => ensureSlipwayImage({ developerImage, announce })),
    SLIPWAY_POSTGRES_IMAGE: await step('PostgreSQL image', (announce) => ensurePostgresImage({ announce })),
  }
  makePassword()
  const before = existsSync(ENV_FILE) ? readFileSync(ENV_FILE, 'utf8') : ''
  writeFileSync(ENV_FILE, withVariables(before, { ...images, SLIPWAY_DOCKER_GROUP: groupOfSocket() }), { mode: 0o600 })
  say('✓ .env and secrets/ are ready. Now start it, and find the set-up link in its log:')
  say(`    ${compose.join(' ')} up -d`)
  say(`    ${compose.join(' ')} logs slipway`)
})
