/** Wires the recordings module. */
import type { FastifyPluginAsync } from 'fastify'
import type { Database } from '../../../database/open.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import { SECOND_MS } from '../../../lib/time/clock.ts'
import type { Log } from '../../../lib/log.ts'
import { within } from '../../../lib/time/within.ts'
import type { Agents } from '../../agents/agents.ts'
import type { Audit } from '../../audit/audit.ts'
import type { Credentials } from '../../credentials/credentials.ts'
import { RecordingFiles } from './files.ts'
import { Recorder } from './recorder.ts'
import { RecordingRepository } from './repository.ts'
import { Retention } from './retention.ts'
import { recordingRoutes } from './routes.ts'
import { RecordingService } from './service.ts'

/**
 * How long a stopping server waits for the last output to be written, in milliseconds. A disk that hangs must not block
 * it.
 */
const RECORDINGS_STOP_MS = 5 * SECOND_MS

/** What {@link createRecordings} needs. */
export interface RecordingDeps {
  readonly config: {
    readonly dataDir: string
    /** Largest size of one recording, in bytes. */
    readonly recordingBytes: number
    readonly recordingsDays: number | null
    readonly recordingsBytes: number
  }
  /** How much of the data folder's disk stays free, in bytes. */
  readonly minFreeBytes: number
  readonly prisma: Database['prisma']
  readonly audit: Audit
  readonly agents: Pick<Agents, 'agents' | 'repository' | 'signals' | 'agentLog'>
  readonly credentials: Pick<Credentials, 'provisioner' | 'wasSet'>
  readonly clock: Clock
  readonly log: Log
  readonly onListenerError: (error: unknown) => void
  /** The set of recorded parts has changed for a session of this agent. */
  readonly changed: (agentId: string) => void
}

export const createRecordings = (deps: RecordingDeps) => {
  const { config, minFreeBytes, prisma, audit, credentials, clock, log, onListenerError, changed } = deps
  const { agents, repository: agentRows, signals, agentLog } = deps.agents
  const parts = {
    repository: new RecordingRepository(prisma, audit),
    files: new RecordingFiles(config.dataDir),
    clock,
    log,
  }
  const recorder = new Recorder({
    ...parts,
    provisioner: credentials.provisioner,
    limits: { maxBytes: config.recordingBytes, minFreeBytes },
    agentLog,
    changed,
    ended: () => void retention.sweep(),
  })
  const keeping = { days: config.recordingsDays, totalBytes: config.recordingsBytes }
  const retention = new Retention({ ...parts, recorder, agents: agentRows, keeping })
  const recordings = new RecordingService({ ...parts, recorder, agents: agentRows, audit, keeping })

  const settingsChanged = async (agentId: string): Promise<void> => {
    const row = await agentRows.byId(agentId)
    if (row) recorder.settingsChanged(agentId, row)
  }
  credentials.wasSet.on((set) => recorder.credentialSet(set))
  signals.changed.on((agentId) => void settingsChanged(agentId).catch(onListenerError))
  signals.deleted.on(() => void retention.sweep())

  const routes: FastifyPluginAsync = async (api) => {
    await api.register(recordingRoutes, { agents, recordings })
  }
  return {
    recorder,
    routes,
    /** Call it after the recovery of sessions: it ends the recordings of those that are gone. */
    start: () => retention.start(),
    stop: async (): Promise<void> => {
      await retention.stop()
      await within(RECORDINGS_STOP_MS, recorder.close(), () => log.warn('recordings could not be written in time'))
    },
  }
}
