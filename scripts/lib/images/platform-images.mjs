// The images that docker-compose.yml starts: the platform's, and a PostgreSQL if the official one cannot be pulled.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { capture } from '../commands.mjs'
import { ensureImage, hasImage } from './image.mjs'
import { inRoot } from '../paths.mjs'
import { SetUpError } from '../steps.mjs'

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
 * Makes sure that the engine has a PostgreSQL. It never changes an earlier choice, because the other image may have
 * another major version, which does not start on the existing data.
 *
 * @param {{chosen?: string, announce: (line: string) => void}} options `chosen` is SLIPWAY_POSTGRES_IMAGE
 * @returns {Promise<string>} the chosen image. If there is no choice, the official image, or one built from Debian's
 *   packages if that cannot be pulled. An image built here is replaced by its newest build.
 * @throws {SetUpError} when the chosen image can not be pulled
 */
export const ensurePostgresImage = async ({ chosen, announce }) => {
  const wanted = chosen ?? OFFICIAL_POSTGRES
  if (!wanted.startsWith(`${OWN_POSTGRES}:`)) {
    if (await hasImage(wanted)) return wanted
    announce(`pulling ${wanted}`)
    const pull = await capture(['docker', 'pull', wanted], { timeoutMs: PULL_WITHIN_MS })
    if (pull.code === 0) return wanted
    if (chosen) throw new SetUpError(`SLIPWAY_POSTGRES_IMAGE (${chosen}) can not be pulled: ${pull.output.trim()}`)
    announce(`${wanted} can not be pulled; building one of Debian's packages`)
  }
  return ensureImage({ name: OWN_POSTGRES, folder: inRoot('images', 'postgres'), announce })
}
