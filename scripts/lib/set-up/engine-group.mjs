// The group of users that may use the engine.
import { existsSync, statSync } from 'node:fs'
import { SetUpError } from '../steps.mjs'
import { composeSetting } from './env-file.mjs'

/** The socket that docker-compose.yml mounts by default. */
const DEFAULT_SOCKET = '/var/run/docker.sock'

/**
 * The group of the socket that Compose mounts. Compose adds the platform's user in its container to this group.
 *
 * @param {string} text the content of `.env`
 * @returns {string} its id
 * @throws {SetUpError} when there is no such socket
 */
export const groupOfSocket = (text) => {
  const socket = composeSetting(text, 'SLIPWAY_DOCKER_SOCKET') ?? DEFAULT_SOCKET
  if (!existsSync(socket)) throw new SetUpError(`${socket} does not exist: name the socket in SLIPWAY_DOCKER_SOCKET.`)
  return String(statSync(socket).gid)
}
