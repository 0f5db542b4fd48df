/** Moves conversations on: notes the ends of their turns, and begins the next ones. */
import type { RunRequest } from '@slipway/protocol'
import { AppError } from '../../lib/errors.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { Found } from '../agents/service.ts'
import { actorOf } from '../identity/caller.ts'
import type { RunRepository } from '../runs/repository.ts'
import type { RunService } from '../runs/service.ts'
import type { RunPlanner } from '../runs/start/plan.ts'
import type { Standing } from '../sessions/recovery/reinstate.ts'
import type { ConversationMetrics } from './metrics.ts'
import type { ConversationRepository } from './repository.ts'
import type { SaidInTerminal } from './in-terminal/said.ts'
import type { Begun, PlannedTurn, TurnRepository } from './turn-repository.ts'
import type { ConversationRow, MessageRow } from './rows.ts'

const RIGHT_LOST = 'Its user may no longer start tasks in this agent.'
/** What the CLI reads before a message after it has forgotten its session. */
const FORGOTTEN =
  'Your earlier session of this conversation is gone, so you do not know what was said before this message.'

export interface TurnDeps {
  readonly conversations: ConversationRepository
  readonly turns: TurnRepository
  readonly planner: Pick<RunPlanner, 'plan'>
  readonly runs: Pick<RunService, 'require'>
  readonly runRows: Pick<RunRepository, 'endings'>
  /** The user's current rights, or null. */
  readonly mayStill: (run: Standing) => Promise<Found | null>
  /** Tells about a new run. */
  readonly announce: (agentId: string, runId: string) => Promise<void>
  /** Tells about a change of a conversation. */
  readonly tell: (id: string) => Promise<void>
  readonly terminal: Pick<SaidInTerminal, 'read'>
  readonly newId: NewId
  readonly metrics: Pick<ConversationMetrics, 'failed'>
  readonly log: Pick<Log, 'error'>
}

export class Turns {
  readonly #deps: TurnDeps
  /** Those that are being moved on, and whether it was asked for again meanwhile. */
  readonly #moving = new Map<string, boolean>()

  constructor(deps: TurnDeps) {
    this.#deps = deps
  }

  /** Moves all on that have something to do. A failure concerns its conversation alone, and the next look tries again. */
  async look(): Promise<void> {
    for await (const id of this.#deps.conversations.due()) await this.moveOn(id)
  }

  /** Moves one on, as far as it can. Never rejects. */
  async moveOn(id: string): Promise<void> {
    if (this.#moving.has(id)) return void this.#moving.set(id, true)
    try {
      do {
        this.#moving.set(id, false)
        await this.#moveOn(id)
      } while (this.#moving.get(id))
    } catch (error) {
      this.#deps.metrics.failed()
      this.#deps.log.error({ conversationId: id, err: error }, 'a conversation could not be moved on')
    } finally {
      this.#moving.delete(id)
    }
  }

  async #moveOn(id: string): Promise<void> {
    const { conversations, turns, terminal, tell } = this.#deps
    const isSettled = await turns.settle(id)
    if ((await terminal.read(id)) || isSettled) await tell(id)
    for (;;) {
      const row = await conversations.byId(id)
      const [message] = row?.currentRunId === null && row.archivedAt === null ? await conversations.queue(id) : []
      if (!row || !message || (await this.#isInTerminal(row))) return
      const begun = await this.#begin(row, message)
      if (begun === 'full') return
      if (begun === 'changed') continue
      await tell(id)
      if (begun === 'begun') return
    }
  }

  /** Its messages wait, and can be changed, until the terminal has ended. */
  async #isInTerminal({ agentId, cliSessionId }: ConversationRow): Promise<boolean> {
    if (cliSessionId === null) return false
    const terminals = await this.#deps.conversations.terminals([cliSessionId])
    return terminals.some((terminal) => terminal.agentId === agentId)
  }

  /** `refused`: it cannot begin, so none that waited will. */
  async #begin(row: ConversationRow, message: MessageRow): Promise<Begun | 'refused'> {
    const { turns, announce } = this.#deps
    const turn = await this.#plan(row, message)
    if (typeof turn === 'string') {
      await turns.refuse(row.id, message, turn)
      return 'refused'
    }
    const begun = await turns.begin(row, message, turn)
    if (begun === 'begun') await announce(turn.plan.found.row.id, turn.plan.run.id)
    return begun
  }

  /** What is known here of the session to continue, if its turn was deleted with its user; null while the turn is there. */
  async #sessionOfDeleted({ agentId, resumeRunId, provider, cwd, cliSessionId }: ConversationRow) {
    const isThere = resumeRunId === null || (await this.#deps.runRows.endings([resumeRunId])).has(resumeRunId)
    return isThere ? null : { run: { agentId, provider, cwd, cliSessionId } }
  }

  /** The turn of a message, or why it cannot begin. */
  async #plan(row: ConversationRow, { userId, via, viaId, text, validate }: MessageRow): Promise<PlannedTurn | string> {
    const { planner, runs, mayStill, newId } = this.#deps
    const { agentId } = row
    const found = agentId === null ? null : await mayStill({ userId, agentId, via: { kind: via, id: viaId } })
    if (!found) return RIGHT_LOST
    const { caller } = found
    try {
      const said = row.forgotten ? `${FORGOTTEN}\n\n${text}` : text
      const request = turnRequest(row, found.row.name, said, validate)
      // The turn before is not read: a token that may only write goes on with it.
      const find = async (id: string) =>
        (await this.#sessionOfDeleted(row)) ?? runs.require(caller, id, 'conversation.write')
      const plan = await planner.plan(caller, request, newId(), find, { forks: row.forks })
      return { plan, actor: actorOf(caller) }
    } catch (error) {
      if (error instanceof AppError) return error.message
      throw error
    }
  }
}

/**
 * The request for the task of a turn. It waits in line, because no user waits for the answer. Only the first turn may get
 * a worktree: all others work where it worked, also in a new session.
 */
export const turnRequest = (
  {
    provider,
    cwd,
    placed,
    options,
    resumeRunId,
  }: Pick<ConversationRow, 'provider' | 'cwd' | 'placed' | 'options' | 'resumeRunId'>,
  agent: string,
  prompt: string,
  validate: MessageRow['validate'] = null,
): RunRequest => {
  const { gate, ...others } = options
  // A message that is not validated has nothing to pass.
  const hasGate = gate !== undefined && validate !== false
  return {
    ...others,
    ...(hasGate && { gate }),
    ...(placed && { worktree: 'off' }),
    ...(validate !== null && { validate }),
    ...{ agent, provider, cwd, prompt, queue: true },
    ...(resumeRunId !== null && { resume: resumeRunId }),
  }
}
