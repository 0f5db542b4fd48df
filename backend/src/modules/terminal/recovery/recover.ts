/** Takes over the terminals that an earlier backend left. Then they wait for their users. */
import type { Found } from '../../agents/service.ts'
import { attachLeft, type LeftDeps, type LeftKind, leftRecoverer } from '../../sessions/recovery/left.ts'
import type { SessionRecords } from '../../sessions/records/records.ts'
import type { Decide } from '../../sessions/recovery/recovery.ts'
import type { LeftSession } from '../../sessions/records/repository.ts'
import type { Recorder } from '../recording/recorder.ts'
import type { TerminalTasks } from '../../sessions/task-terminals.ts'
import { asTaskTerminal } from '../tasks/open.ts'
import type { TerminalRegistry } from '../registry.ts'
import type { ScreenKeeper } from '../screen/kept/keeper.ts'
import type { OpenTerminal } from '../session/open-terminal.ts'
import type { SessionStarter } from '../starter.ts'

/** A lower setting of the agent ends no session that runs. */
const ALL = Number.POSITIVE_INFINITY

export interface RecoverDeps extends LeftDeps {
  readonly records: Pick<SessionRecords, 'ended' | 'running'>
  readonly registry: Pick<TerminalRegistry, 'arrive' | 'reserve' | 'release'>
  readonly starter: Pick<SessionStarter, 'adopt'>
  readonly recorder: Pick<Recorder, 'resume'>
  readonly screens: Pick<ScreenKeeper, 'load' | 'forget'>
  readonly tasks: Pick<TerminalTasks, 'adopted' | 'gone'>
  /** Called for a terminal of which no process is left. */
  readonly freed: (session: Pick<LeftSession, 'agentId' | 'cliSessionId'>) => void
  /** The agent, and the relation of the session's user to it; null if they may no longer have a terminal of it. */
  readonly reinstate: (session: LeftSession) => Promise<Found | null>
}

/** Decides what happens to each terminal that was left. `retryMs` is the time between two tries. */
export const recoverer = (deps: RecoverDeps, retryMs?: number): (() => Decide) =>
  leftRecoverer(
    deps,
    {
      takeOver: (session, containerId) => takeOver(deps, session, containerId),
      ended: (session, reason) => {
        deps.screens.forget(session.id)
        deps.tasks.gone(session.id, reason)
        deps.freed(session)
      },
    },
    retryMs,
  )

const takeOver = async (
  { runtime, registry, records, starter, recorder, screens, reinstate, tasks, log }: RecoverDeps,
  left: LeftSession,
  containerId: string,
): ReturnType<LeftKind['takeOver']> => {
  const arrival = registry.arrive()
  const { mode, cliSessionId = null, task = false, tab = null } = left
  const found = await reinstate(left)
  if (!found) return 'access_revoked'
  const slot = registry.reserve({ sessionId: left.id, ...found, mode, cliSessionId, task, tab }, arrival, ALL)
  // A user cannot have two sessions in one place. The existing one stays.
  if (!slot) return 'server_killed'
  slot.personal = left.personal
  let isTaken = false
  try {
    const attached = slot.ended ? null : await attach(runtime, containerId, left)
    const kept = attached && (await screens.load(left.id, attached))
    const recording = attached && (await recorder.resume(slot))
    // It keeps waiting, for the next start of the server.
    if (slot.ended?.reason === 'server_stopping') {
      attached?.pty.release()
      return null
    }
    if (!attached) return slot.ended ? 'access_revoked' : 'server_killed'
    if (left.leader === null) records.running(left.id, attached.pty.leader)
    isTaken = true
    const session = starter.adopt(slot, attached, { log, recording, kept })
    if (task) tasks.adopted(asTaskTerminal(session), found)
    return null
  } finally {
    if (!isTaken) registry.release(slot)
  }
}

const attach = async (
  runtime: RecoverDeps['runtime'],
  containerId: string,
  left: LeftSession,
): Promise<OpenTerminal | null> => {
  const attached = await attachLeft(runtime, containerId, left, 'terminal')
  if (!attached?.size) return null
  const { program, size, from, to } = attached
  return { pty: program, ...size, from: from.stdout, to: to.stdout }
}
