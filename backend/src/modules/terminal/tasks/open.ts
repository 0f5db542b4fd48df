/** Opens the terminals of tasks: the same terminals as those of users, without a client. */
import type { Size } from '@slipway/emulator'
import { AppError } from '../../../lib/errors.ts'
import type { Log } from '../../../lib/log.ts'
import type { AgentService } from '../../agents/service.ts'
import { engineUnavailable, notRunning } from '../../sessions/ending.ts'
import { asFailure } from '../../sessions/failure.ts'
import type {
  TaskTerminal,
  TaskTerminalRequest,
  TaskTerminals,
  TerminalFollower,
  TerminalOver,
} from '../../sessions/task-terminals.ts'
import type { TerminalRegistry } from '../registry.ts'
import type { Session } from '../session/session.ts'
import type { SessionStarter } from '../starter.ts'

/** Size of the terminal until a client or a request sets another one. */
const SIZE: Size = { cols: 120, rows: 40 }

/** So many characters of a task's id tell its tab from others. The last ones are random. */
const TASK_TAB_CHARS = 8

interface Deps {
  readonly agents: Pick<AgentService, 'snapshot'>
  readonly registry: TerminalRegistry
  readonly starter: SessionStarter
  readonly recovered: (userId: string, agentId: string) => Promise<boolean>
  readonly log: Log
}

/** A session as its task sees it. */
export const asTaskTerminal = (session: Session): TaskTerminal => {
  const { promise: over, resolve } = Promise.withResolvers<TerminalOver>()
  session.observe({
    backlog: 0,
    output: () => undefined,
    ended: (ending, goesOn) => resolve({ ending, goesOn }),
    failed: () => undefined,
  })
  const { ending } = session
  if (ending) resolve({ ending, goesOn: false })
  return {
    sessionId: session.id,
    over,
    gone: session.gone,
    get start() {
      return session.start
    },
    get offset() {
      return session.offset
    },
    read: (offset) => session.read(offset),
    follow: (follower: TerminalFollower) => session.observe(follower),
    consumed: () => session.consumed(),
    type: (data) => session.type(data),
    resize: (cols, rows) => session.resize(cols, rows),
    end: (because) => session.end(because),
  }
}

export class TaskTerminalOpener implements TaskTerminals {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async open({ claim, folder, model, ...task }: TaskTerminalRequest): Promise<TaskTerminal> {
    const { agents, registry, starter, recovered, log } = this.#deps
    const { caller, row } = claim
    const arrival = registry.arrive()
    // A new terminal would end the one that may still run there.
    if (!(await recovered(caller.userId, row.id))) throw asFailure(engineUnavailable)
    // The place without a name is what clients open that know no tabs.
    const isFree = registry.of(caller.userId, row.id) === null
    const tab = isFree ? null : `task-${claim.sessionId.slice(-TASK_TAB_CHARS)}`
    const slot = registry.reserve({ ...claim, tab }, arrival, row.terminalsPerUser)
    if (!slot)
      throw new AppError('TERMINAL_OPEN', 'You have a terminal open in this agent. Disconnect it, then start the task.')
    try {
      if (slot.ended) throw asFailure(slot.ended)
      const { runningId, reason } = agents.snapshot(row)
      if (runningId === null)
        throw asFailure(reason?.code === 'engine_unavailable' ? engineUnavailable : notRunning(row.name))
      const session = await starter.startRaw(slot, { containerId: runningId, size: SIZE, model, folder, task, log })
      session.waitForSomebody()
      return asTaskTerminal(session)
    } catch (error) {
      registry.release(slot)
      throw error
    }
  }
}
