// The images that docker-compose.yml starts: the platform's, and a PostgreSQL if the official one cannot be pulled.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { capture } from '../commands.mjs'
import { ensureImage, hasImage } from './image.mjs'
import { inRoot } from '../paths.mjs'

/** The platform's image, without a tag. */
export const SLIPWAY_IMAGE = 'slipway'
/** The image that docker-compose.yml uses by default. */
export const OFFICIAL_POSTGRES = 'postgres:17'
const OWN_POSTGRES = 'slipway-postgres'
/**
 * The image has at most 150 MB. A network that drops packets without an answer must not block everything. Milliseconds.
 */
const PULL_WITHIN_MS = 300_000

/** Folders of generated or installed files, and tests. `.dockerignore` names the same ones for builds by hand. */
const LEFT_OUT = /(^|\/)(node_modules|dist|generated|coverage|\.turbo|backend\/test)(\/|$)|\.test\.\w+$/

/** The paths that `.dockerignore` includes. */
const included = () =>
  readFileSync(inRoot('.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1))
    .filter((path) => path !== 'npmrc' && existsSync(inRoot(path)))

/** Runs `work` with a temporary folder that has the sources of the image, and the licence. */
const withSources = async (work) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-sources-'))
  const isIn = (path) => !LEFT_OUT.test(path.slice(inRoot().length))
  try {
    for (const path of included()) cpSync(inRoot(path), join(folder, path), { recursive: true, filter: isIn })
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Makes sure that the platform's image for this checkout exists.
 *
 * @param {{developerImage: string, announce: (line: string) => void}} options the developer image provides Node and npm
 * @returns {Promise<string>} its tag
 */
export const ensureSlipwayImage = ({ developerImage, announce }) =>
  withSources((folder) =>
    ensureImage({
      name: SLIPWAY_IMAGE,
      folder,
      dockerfile: 'images/slipway/Dockerfile',
      buildArgs: { NODE_IMAGE: developerImage },
      announce,
    }),
  )

/**
 * Makes sure that the engine has a PostgreSQL.
 *
 * @param {{announce: (line: string) => void}} options
 * @returns {Promise<string>} SLIPWAY_POSTGRES_IMAGE, the official image, or one built from Debian's packages
 */
export const ensurePostgresImage = async ({ announce }) => {
  const chosen = process.env.SLIPWAY_POSTGRES_IMAGE ?? OFFICIAL_POSTGRES
  if (await hasImage(chosen)) return chosen
  announce(`pulling ${chosen}`)
  if ((await capture(['docker', 'pull', chosen], { timeoutMs: PULL_WITHIN_MS })).code === 0) return chosen
  announce(`${chosen} can not be pulled; building one of Debian's packages`)
  return ensureImage({ name: OWN_POSTGRES, folder: inRoot('images', 'postgres'), announce })
}
