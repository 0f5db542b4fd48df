/** A gate of terminals without a server, whose steps a test can interrupt. */
import type { AuthFrame } from '@slipway/protocol'
import { NOWHERE } from '../people/callers.ts'
import { ScriptedPty } from './pty.ts'
import { Signal } from '../../../src/lib/emitter.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { AppError } from '../../../src/lib/errors.ts'
import type { Loss } from '../../../src/modules/access/loss.ts'
import type { AgentRow } from '../../../src/modules/agents/rows.ts'
import type { Source } from '../../../src/modules/audit/actor.ts'
import { NO_CONNECTORS } from '../../../src/modules/credentials/connectors/service.ts'
import type { Provisioner } from '../../../src/modules/credentials/provision/provision.ts'
import { type Caller, proofOf } from '../../../src/modules/identity/caller.ts'
import type { Locate } from '../../../src/modules/agents/service.ts'
import type { ProgramSpec } from '../../../src/runtime/program.ts'
import { Gate, type TerminalDeps } from '../../../src/modules/terminal/gate.ts'
import { Mirror } from '../../../src/modules/terminal/screen/mirror/mirror.ts'
import type { SessionRecords } from '../../../src/modules/sessions/records/records.ts'
import { TerminalRegistry } from '../../../src/modules/terminal/registry.ts'
import type { Session } from '../../../src/modules/terminal/session/session.ts'
import { SessionStarter } from '../../../src/modules/terminal/starter.ts'

/** The user who opens the terminals. */
const ann: Caller = {
  userId: 'ann',
  email: 'ann@example.org',
  role: 'user',
  via: { kind: 'sign_in', signInId: 'laptop' },
  source: NOWHERE,
}
const agentWith = (terminalsPerUser: number): AgentRow =>
  ({
    ...{ id: 'agent', name: 'builder', runtime: 'claude-code', sharedWith: ['ann'] },
    terminalsPerUser,
  }) as unknown as AgentRow

/** A token in these tests is the id of its sign-in. */
const first: AuthFrame = { type: 'auth', token: 'laptop' }

/** For a mirror that has nothing to do. */
const NO_WAYS = {
  canJournal: false,
  send: () => undefined,
  inTurn: (work: () => Promise<null>) => work(),
  missing: () => undefined,
  closed: () => undefined,
}

/** The one task that a terminal can continue here. */
export const CONTINUED = {
  task: 'task',
  cliSessionId: 'cli-1',
  mode: 'codex',
  model: null,
  folder: '/home/developer/a',
}

/**
 * The functions in `during` are called in their step. `isKnown`: whether the sessions that go on are known.
 * `terminalsPerUser` is the agent's setting.
 */
export const setup = (
  during: Partial<Record<'authentication' | 'access' | 'credentials' | 'record' | 'start' | 'attach', () => void>>,
  isKnown = true,
  terminalsPerUser = 1,
) => {
  const row = agentWith(terminalsPerUser)
  const losses = new Signal<Loss>()
  const registry = new TerminalRegistry(losses)
  const pty = new ScriptedPty()
  let started = 0
  const vias: string[] = []
  const specs: ProgramSpec[] = []
  const records = {
    begin: async () => {
      during.record?.()
      return Promise.resolve()
    },
    attached: async () => {
      during.attach?.()
      return Promise.resolve()
    },
    find: () => Promise.resolve({ mode: 'bash', endReason: 'exited', exitCode: 3 }),
    running: () => undefined,
    broughtBack: (_id: string, { via }: Caller) => void vias.push(proofOf(via).id),
    ended: () => undefined,
  } as unknown as SessionRecords
  const starter = new SessionStarter({
    // These tests print nothing that a mirror would have to follow.
    mirrors: {
      open: (source) => new Mirror(source, NO_WAYS),
    },
    screens: { follow: () => undefined },
    runtime: {
      start: async (_container: string, spec: ProgramSpec) => {
        started += 1
        const isFirst = started === 1
        specs.push(spec)
        during.start?.()
        return Promise.resolve(isFirst ? pty : new ScriptedPty())
      },
    },
    provisioner: {
      provideTask: async () => {
        during.credentials?.()
        const nothing = { connectors: NO_CONNECTORS, personal: false, problems: [] }
        return Promise.resolve({ ...nothing, environment: () => ({ env: {}, given: new Set() }) })
      },
    } as unknown as Provisioner,
    homes: { isKnown: () => true, of: () => Promise.resolve(null) },
    approvals: { approve: async () => undefined },
    registry,
    records,
    recorder: { begin: () => Promise.resolve(null), abandon: () => Promise.resolve() },
    keepSecondsOf: () => Promise.resolve(300),
    ended: new Signal(),
  })
  const deps = {
    authenticator: {
      authenticate: async (token: string, source: Source) => {
        during.authentication?.()
        return Promise.resolve({ ...ann, via: { kind: 'sign_in', signInId: token }, source })
      },
    },
    agents: { snapshot: () => ({ runningId: 'container', container: {}, reason: null }) },
    registry,
    records,
    starter,
    recovered: () => Promise.resolve(isKnown),
    conversations: {
      find: (_caller: Caller, task: string, agentId: string) =>
        task === CONTINUED.task
          ? Promise.resolve({ ...CONTINUED, agentId })
          : Promise.reject(new AppError('SESSION_IN_USE', 'It is in use.')),
      take: (_conversation: unknown, _claim: unknown, begin: () => Promise<unknown>) => begin(),
      freed: () => undefined,
    },
    newId: () => (started === 0 ? 'session' : `session-${started + 1}`),
    log: silentLog,
  } as unknown as TerminalDeps
  const locate: Locate = async (caller) => {
    during.access?.()
    return Promise.resolve({ row, relation: 'sharee', caller })
  }
  const gate = new Gate(deps, locate, NOWHERE)
  const open = (auth: Partial<AuthFrame> = {}, query: unknown = { mode: 'bash' }) =>
    gate.open({ ...first, ...auth }, null, query)
  /** A session of Ann that this backend takes over. */
  const adopt = (): Session => {
    const claim = { sessionId: 'session', caller: ann, row, relation: 'sharee', mode: 'bash' } as const
    const slot = registry.reserve(claim, registry.arrive())!
    const found = { pty, cols: 80, rows: 24, from: 0, to: 0 }
    return starter.adopt(slot, found, { log: silentLog, recording: null, kept: null })
  }
  return { registry, losses, pty, adopt, started: () => started, specs, vias, open }
}
