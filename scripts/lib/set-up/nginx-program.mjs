// The reverse proxy that the tests put in front of the platform.
import { aptInstall, hasProgram } from './debian.mjs'

/**
 * Makes sure that there is an nginx. It does not start it.
 *
 * @param {{announce: (line: string) => void}} options
 * @throws {SetUpError} when there is none and the set-up may not install it
 */
export const ensureNginx = async ({ announce }) => {
  if (await hasProgram('nginx')) return
  await aptInstall(['nginx'], {
    purpose: 'nginx is needed for the tests behind a reverse proxy',
    otherwise: 'Install it.',
    announce,
    startServices: false,
  })
}
