/**
 * Makes a container that was created an agent's own: names the user, and gives it the home. The engine's archive API does both before the
 * container first starts, so no program of the agent can exchange anything meanwhile.
 */
import { dirname } from 'node:path/posix'
import { AGENT_HOME } from '@slipway/protocol'
import type Docker from 'dockerode'
import type { ContainerSpec } from '../../port.ts'
import { toRuntimeError } from '../errors.ts'
import { giveHome } from './home-owner.ts'
import { withUser } from './passwd.ts'
import { AGENT_GID, type Names } from './profile.ts'
import { fileIn, ownerIn, tarOf, withOwner } from './tar.ts'

/** The most that is read of an archive, in bytes: ours are a few kilobytes. A larger home is given without reading it. */
const ARCHIVE_MAX = 1_048_576

/** For a container that was never started. Fails with a `RuntimeError`. */
export const giveOwnUser = async (docker: Docker, names: Names, spec: ContainerSpec, id: string): Promise<void> => {
  const { uid } = spec
  if (uid === null) return
  const container = docker.getContainer(id)
  const passwd = (await archiveOf(container, '/etc/passwd')).bytes
  const text = withUser(fileIn(passwd).toString('latin1'), uid)
  await container.putArchive(tarOf('passwd', Buffer.from(text, 'latin1')), { path: '/etc' })

  const home = await archiveOf(container, AGENT_HOME)
  // With user namespaces some engines say whose a file is on the machine, where root has another id, too.
  if (ownerIn(home.bytes) - ownerIn(passwd) === uid) return
  if (home.isWhole) await container.putArchive(withOwner(home.bytes, uid, AGENT_GID), { path: dirname(AGENT_HOME) })
  else await giveHome(docker, names, spec, uid)
}

/** Empty where the container has no such path. */
const archiveOf = async (container: Docker.Container, path: string): Promise<{ bytes: Buffer; isWhole: boolean }> => {
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of (await container.getArchive({ path })) as AsyncIterable<Buffer>) {
      size += piece.length
      pieces.push(piece)
      if (size > ARCHIVE_MAX) break
    }
  } catch (error) {
    if (toRuntimeError(error).code !== 'not_found') throw error
  }
  return { bytes: Buffer.concat(pieces), isWhole: size <= ARCHIVE_MAX }
}
