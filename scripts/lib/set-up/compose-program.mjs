// Docker Compose: the `docker compose` plugin, or the older `docker-compose`.
import { capture } from '../commands.mjs'
import { aptInstall } from './debian.mjs'
import { SetUpError } from '../steps.mjs'

const KINDS = [['docker', 'compose'], ['docker-compose']]

/** @returns {Promise<string[] | null>} the beginning of its argument vector */
export const findCompose = async () => {
  for (const argv of KINDS) if ((await capture([...argv, 'version'])).code === 0) return argv
  return null
}

/**
 * Makes sure that there is Docker Compose.
 *
 * @param {{announce: (line: string) => void}} options
 * @returns {Promise<string[]>} the beginning of its argument vector: `docker compose` or `docker-compose`
 * @throws {SetUpError} when there is none and the set-up may not install it
 */
export const ensureCompose = async ({ announce }) => {
  const found = await findCompose()
  if (found) return found
  const otherwise = 'Install the Compose plugin of Docker.'
  await aptInstall(['docker-compose'], { purpose: 'Docker Compose is needed', otherwise, announce })
  const installed = await findCompose()
  if (!installed) throw new SetUpError(`docker-compose was installed and does not run. ${otherwise}`)
  return installed
}
