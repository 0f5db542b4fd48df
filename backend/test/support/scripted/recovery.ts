/** The recovery of sessions without a server, an engine or a database. */
import { expect } from 'vitest'
import { ScriptedPty } from './pty.ts'
import { scriptedSession } from './session.ts'
import { Signal } from '../../../src/lib/emitter.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { type Attached, FROM_THE_START } from '../../../src/runtime/program.ts'
import type { Snapshot } from '../../../src/modules/agents/state/board.ts'
import { ENGINE_DOWN } from '../../../src/modules/agents/state/state.ts'
import type { Found } from '../../../src/modules/agents/service.ts'
import { serverStopping } from '../../../src/modules/sessions/ending.ts'
import { Recovery } from '../../../src/modules/sessions/recovery/recovery.ts'
import type { SessionEnd } from '../../../src/modules/sessions/records/records.ts'
import type { LeftSession } from '../../../src/modules/sessions/records/repository.ts'
import { TerminalRegistry } from '../../../src/modules/terminal/registry.ts'
import { type RecoverDeps, recoverer } from '../../../src/modules/terminal/recovery/recover.ts'

/** When the container started, and when the session did. */
const began = new Date('2026-01-01T00:00:00Z')
export const later = new Date('2026-01-01T00:00:10Z')
/** The agent’s states: its container runs, the engine is away, and the container is stopped. */
export const running: Snapshot = {
  state: 'running',
  reason: null,
  since: began,
  runningId: 'container',
  container: { id: 'container', running: true, fingerprint: '', startedAt: began },
}
export const away: Snapshot = { state: 'failed', reason: ENGINE_DOWN, since: began, runningId: null, container: null }
export const stopped: Snapshot = { ...away, state: 'stopped', reason: null }

/** The row of a session that an earlier backend left. */
export const left = {
  id: 'session',
  mode: 'bash',
  agentId: 'agent',
  userId: 'ann',
  leader: '7:1',
  startedAt: later,
  personal: false,
  via: { kind: 'sign_in', id: 'laptop' },
} as const
const found = {
  caller: { userId: 'ann', via: { kind: 'sign_in', signInId: 'laptop' } },
  row: { id: 'agent' },
  relation: 'owner',
} as unknown as Found

const kept = { offset: 0, size: { cols: 80, rows: 24 }, data: Buffer.from('its screen'), sizes: [], past: null }

/** A holder that answers. */
export const answered: (id: string) => Promise<Attached | null> = () =>
  Promise.resolve({
    program: new ScriptedPty(),
    size: { cols: 80, rows: 24 },
    takesInput: true,
    hasEnded: false,
    from: FROM_THE_START,
    to: FROM_THE_START,
  })

/** Sets up what the container holds (`held`), and whether the user may still have it (`may`). */
export const setup = async (
  first: Snapshot,
  {
    held = [] as string[],
    may = true,
    stopping = false,
    refusals = 0,
    isAwaited = true,
    sessions = [left] as readonly LeftSession[],
    page = (): readonly LeftSession[] | Promise<readonly LeftSession[]> => sessions,
    lookEveryMs = 5,
    attach = answered,
  } = {},
) => {
  const database = <T>(answer: T): Promise<T> =>
    refusals-- > 0 ? Promise.reject(new Error('no database')) : Promise.resolve(answer)
  let snapshot = first
  const hungUp: string[] = []
  const ended: string[] = []
  const adopted: string[] = []
  const forgotten: string[] = []
  const freed: string[] = []
  const registry = new TerminalRegistry(new Signal())
  if (stopping) await registry.stop(serverStopping)
  const leaders: string[] = []
  let again: () => void = () => undefined
  const records = {
    onLeft: (listener: () => void) => void (again = listener),
    leftOpen: async () => database([...(await page())]),
    ended: (_id: string, { reason }: SessionEnd) => void ended.push(reason),
    running: (_id: string, leader: string) => void leaders.push(leader),
    settled: () => Promise.resolve(),
  }
  const board = { get: () => snapshot }
  const deps: RecoverDeps = {
    runtime: {
      hangUp: (_id, leader) => Promise.resolve(void hungUp.push(leader)),
      held: () => Promise.resolve(held),
      attach: (_id, session) => attach(session),
    },
    board,
    records,
    tasks: { adopted: () => undefined, gone: () => undefined },
    freed: ({ cliSessionId }) => void (cliSessionId && freed.push(cliSessionId)),
    registry,
    starter: {
      adopt: ({ sessionId }, _attached, adoption) => {
        expect(adoption.kept).toBe(kept)
        adopted.push(sessionId)
        return scriptedSession().session
      },
    },
    recorder: { resume: () => Promise.resolve(null) },
    screens: {
      load: () => Promise.resolve(kept),
      forget: (id) => void forgotten.push(id),
    },
    reinstate: ({ userId }) => database(may ? { ...found, caller: { ...found.caller, userId } } : null),
    log: silentLog,
  }
  const recovery = new Recovery({ board, records, log: silentLog, lookEveryMs })
  const looked = recovery.start(recoverer(deps, lookEveryMs))
  if (isAwaited) await looked
  return {
    leaders,
    recovery,
    hungUp,
    ended,
    adopted,
    forgotten,
    freed,
    registry,
    stop: () => recovery.stop(),
    leave: () => again(),
    becomes: (next: Snapshot) => void (snapshot = next),
  }
}
