// The programs with which the tests connect over SSH: OpenSSH's own client, and rsync, which uses it.
import { aptInstall, hasProgram } from './debian.mjs'

/** The packages by a program of each. */
const PACKAGES = { ssh: 'openssh-client', rsync: 'rsync' }

/**
 * Makes sure that there are `ssh`, `sftp`, `scp` and `rsync`.
 *
 * @param {{announce: (line: string) => void}} options
 * @throws {SetUpError} when one is missing and the set-up may not install it
 */
export const ensureSshClient = async ({ announce }) => {
  const missing = []
  for (const [program, name] of Object.entries(PACKAGES)) if (!(await hasProgram(program))) missing.push(name)
  if (missing.length === 0) return
  await aptInstall(missing, {
    purpose: 'a client is needed for the tests of SSH',
    otherwise: `Install ${missing.join(' and ')}.`,
    announce,
  })
}
