// `npm run compose`: prepares what docker-compose.yml needs on this machine. It builds missing images, writes their
// names to .env, and makes the database's password once. It starts nothing.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { ensureDeveloperImage } from './images.mjs'
import { ensureCompose } from './lib/set-up/compose-program.mjs'
import { ensureEngine } from './lib/set-up/engine.mjs'
import { groupOfSocket } from './lib/set-up/engine-group.mjs'
import { composeSetting, withVariables } from './lib/set-up/env-file.mjs'
import { inRoot } from './lib/paths.mjs'
import { ensurePostgresImage, ensureSlipwayImage } from './lib/images/platform-images.mjs'
import { runMain, say, step } from './lib/steps.mjs'

const ENV_FILE = inRoot('.env')
const SECRETS = inRoot('secrets')

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
  const before = existsSync(ENV_FILE) ? readFileSync(ENV_FILE, 'utf8') : ''
  const chosen = composeSetting(before, 'SLIPWAY_POSTGRES_IMAGE')
  const values = {
    SLIPWAY_IMAGES: developerImage,
    SLIPWAY_IMAGE: await step('platform image', (announce) => ensureSlipwayImage({ developerImage, announce })),
    SLIPWAY_POSTGRES_IMAGE: await step('PostgreSQL image', (announce) => ensurePostgresImage({ chosen, announce })),
    SLIPWAY_DOCKER_GROUP: groupOfSocket(before),
  }
  makePassword()
  writeFileSync(ENV_FILE, withVariables(before, values), { mode: 0o600 })
  say('✓ .env and secrets/ are ready. Now start it, and find the set-up link in its log:')
  say(`    ${compose.join(' ')} up -d`)
  say(`    ${compose.join(' ')} logs slipway`)
})
