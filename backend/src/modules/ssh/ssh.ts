/** Wires the module together: SSH into agents, for editors. It is off unless a port is set. */
import type { Duplex } from 'node:stream'
import type { Registry } from 'prom-client'
import type { Clock } from '../../lib/time/clock.ts'
import type { Signal } from '../../lib/emitter.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { Loss } from '../access/loss.ts'
import type { Agents } from '../agents/agents.ts'
import type { Audit } from '../audit/audit.ts'
import type { Credentials } from '../credentials/credentials.ts'
import type { Authenticator } from '../identity/authenticate.ts'
import { actorOf } from '../identity/caller.ts'
import type { SshListener } from '../identity/ssh-keys/address.ts'
import { fingerprintOf } from '../identity/ssh-keys/public-key.ts'
import { serverStopping } from '../sessions/ending.ts'
import { Programs } from '../sessions/programs.ts'
import { SSH_MODE } from '../sessions/records/records.ts'
import { leftRecoverer } from '../sessions/recovery/left.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { Admission } from './door/admission.ts'
import { type ConnectionDeps, SshConnection, type Wire } from './connection.ts'
import { Connections } from './connections.ts'
import { hostKeyIn, publicHalfOf } from './door/host-key.ts'
import { isSignedWith, type SshKeys } from './door/keys.ts'
import { SshMetrics } from './metrics.ts'
import { LIMIT, SshPrograms } from './channel/programs.ts'
import { type Attempt, SshDoor } from './door/server.ts'

/** The key was removed while its connection was being opened. */
class KeyGoneError extends Error {}

/** What {@link createSsh} needs. */
export interface SshModuleDeps {
  readonly config: { readonly sshHost: string; readonly sshPort: number | null; readonly dataDir: string }
  /** The keys of users. */
  readonly keys: SshKeys
  readonly runtime: ContainerRuntime
  readonly agents: Pick<Agents, 'agents' | 'board' | 'leaving'>
  readonly credentials: Pick<Credentials, 'provisioner'>
  readonly sessions: Pick<Sessions, 'records' | 'attendance' | 'recovery' | 'reinstate'>
  readonly authenticator: Authenticator
  /** Is told where the server listens. */
  readonly listener: Pick<SshListener, 'listens'>
  /** Connects to a port of an agent's loopback. */
  readonly dial: (agentId: string, port: number) => Promise<Duplex>
  readonly audit: Audit
  readonly losses: Signal<Loss>
  readonly metrics: Registry
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
}

/** Connections of people with keys, and their programs. */
export const createSsh = (deps: SshModuleDeps) => {
  const { config, keys, runtime, sessions, audit, losses, clock, log } = deps
  const { agents, board, leaving } = deps.agents
  const { provisioner } = deps.credentials
  const { records, attendance, recovery, reinstate } = sessions
  const programs = new Programs(losses, LIMIT)
  const connections = new Connections(losses, keys)
  const admission = new Admission({ ...deps, agents })
  const starter = new SshPrograms({ ...deps, agents, provisioner, programs, records, reinstate })
  const ofConnection: ConnectionDeps = { programs, records, log, starter, dial: deps.dial }
  const metrics = new SshMetrics(deps.metrics, () => connections.size)
  // No client can come back to what an earlier server left.
  const takeOver = () => Promise.resolve('server_killed' as const)
  recovery.handle(SSH_MODE, leftRecoverer({ runtime, board, records, log }, { takeOver, ended: () => undefined }))
  attendance.add((agentId) => programs.attended(agentId))
  leaving.add((agentId) => programs.left(agentId))

  const mayUse = async ({ agentName, offer, source }: Attempt): Promise<boolean> =>
    (await admission.of(agentName, offer, source)) !== null

  const open = async (wire: Wire, { agentName, offer, source }: Attempt): Promise<boolean> => {
    const arrival = connections.arrive()
    const admitted = await admission.of(agentName, offer, source)
    if (!admitted || !isSignedWith(admitted.key, offer) || wire.socket.destroyed) return false
    const { found, key, by } = admitted
    const connection = new SshConnection(ofConnection, wire, admitted)
    const refusal = connections.refusal(by.userId, found.row.id)
    if (refusal !== null) {
      connection.refuse(refusal)
      return true
    }
    if (!connections.enter(connection, arrival)) return false
    const ids = { connection: source.requestId, agentId: found.row.id, userId: by.userId, keyId: key.id }
    wire.socket.once('close', () => {
      connections.leave(connection)
      log.info(ids, 'connection over ssh closed')
    })
    const fingerprint = fingerprintOf(offer.key.data)
    try {
      const target = { id: found.row.id, name: found.row.name }
      const detail = { relation: found.relation, fingerprint }
      await audit.recordNow({ actor: actorOf(by), action: 'ssh.connected', target, detail })
      // It may have been removed before the connection was among those that are told.
      if ((await keys.find(fingerprint))?.id !== key.id) throw new KeyGoneError()
    } catch (error) {
      connections.leave(connection)
      if (error instanceof KeyGoneError) return false
      throw error
    }
    connection.serve()
    keys.used(key.id, new Date(clock.now())).catch((error: unknown) => {
      log.warn({ ...ids, err: error }, 'the use of a key over ssh could not be noted')
    })
    log.info(ids, 'connection over ssh opened')
    return true
  }

  let door: SshDoor | null = null
  let port: number | null = null
  return {
    /** The port that it listens on; null while it does not. */
    port: (): number | null => port,
    callers: () => [...connections.callers(), ...programs.callers()],
    start: async (): Promise<void> => {
      if (config.sshPort === null) return
      const agentSubnets = (): readonly string[] => runtime.agentSubnets
      const hostKey = hostKeyIn(config.dataDir)
      const publicKey = publicHalfOf(hostKey)
      door = new SshDoor({ ...deps, hostKey, agentSubnets, mayUse, open, metrics })
      port = await door.listen(config.sshHost, config.sshPort)
      deps.listener.listens({ port, hostKey: publicKey })
      log.info({ host: config.sshHost, port }, 'ssh listens')
    },
    end: async (): Promise<void> => {
      door?.close()
      connections.stop()
      await programs.stop(serverStopping)
    },
  }
}
