// The PostgreSQL programs with which tests start their own servers.
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { capture } from '../commands.mjs'
import { aptInstall } from './debian.mjs'
import { SetUpError } from '../steps.mjs'

/** Debian has a folder for the programs of each version, outside of the PATH. */
const VERSIONS = '/usr/lib/postgresql'

/** The folder of the newest version, or null if there is none. */
const findPrograms = async () => {
  const { code, stdout } = await capture(['which', 'initdb'])
  if (code === 0) return dirname(stdout.trim())
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((one, other) => Number(other) - Number(one)) : []
  return (
    versions.map((version) => join(VERSIONS, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb'))) ?? null
  )
}

/**
 * Makes sure that there is a PostgreSQL, and answers the folder of its programs. It starts no server.
 *
 * @param {{announce: (line: string) => void}} options
 * @throws {SetUpError} when there is none and the set-up may not install it
 */
export const ensurePostgres = async ({ announce }) => {
  const found = await findPrograms()
  if (found !== null) return found
  await aptInstall(['postgresql'], {
    purpose: "PostgreSQL's programs are needed for the tests on it",
    otherwise: 'Install them.',
    announce,
    startServices: false,
  })
  const installed = await findPrograms()
  if (installed === null) throw new SetUpError('PostgreSQL was installed, and its programs were not found.')
  return installed
}
