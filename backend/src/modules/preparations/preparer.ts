/**
 * Prepares agents: clones a repository, runs the set-up, starts the first task. The database has the state, so that it
 * survives the server: a clone begins again, and a set-up that was cut off waits for a user to try again.
 */
import type { ExecBody, ExecResult, PreparationState } from '@slipway/protocol'
import type { Signal } from '../../lib/emitter.ts'
import { AppError } from '../../lib/errors.ts'
import { isUuid, type NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { Board } from '../agents/state/board.ts'
import type { Found } from '../agents/service.ts'
import type { AgentNews } from '../agents/topic.ts'
import type { Provision, Provisioner } from '../credentials/provision.ts'
import type { ExecService } from '../exec/service.ts'
import type { Proof } from '../identity/caller.ts'
import type { RunService } from '../runs/service.ts'
import type { Recovery } from '../sessions/recovery/recovery.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { Attempt } from './attempt.ts'
import { forClone, forSetUp } from './environment.ts'
import { clonedIn, cloneFailure, cloning, CLONE_SECONDS, folderPath, SETUP_SECONDS } from './program.ts'
import type { Changes, PreparationRepository, PreparationRow } from './repository.ts'
import { type Live, toPreparation } from './view.ts'

export interface PreparerDeps {
  readonly repository: PreparationRepository
  readonly board: Pick<Board, 'get'>
  readonly reinstate: Sessions['reinstate']
  readonly recovered: Recovery['decided']
  readonly execs: Pick<ExecService, 'run'>
  readonly runs: Pick<RunService, 'create'>
  readonly provisioner: Pick<Provisioner, 'secrets'>
  readonly news: Pick<Signal<AgentNews>, 'emit'>
  readonly newId: NewId
  readonly log: Log
}

/** Why an attempt failed, for its user. */
class Failure extends Error {
  override readonly name = 'Failure'
}
/** It was cancelled, or its agent was deleted. */
class Over extends Error {
  override readonly name = 'Over'
}

const ACTIVE: readonly PreparationState[] = ['waiting', 'cloning', 'setting_up']
const NOT_ALLOWED =
  'The user in whose name this runs may not do it any more. A user who may can try again, and it then runs in their name.'
const NO_ENGINE = 'The container engine does not answer. Try again in a moment.'
const UNKNOWN = 'The server could not do it. Its log says why.'
const CUT_OFF = 'The server stopped while the set-up ran. Try again to run it from its beginning.'

export class Preparer {
  readonly #deps: PreparerDeps
  /** Agents whose preparation waits: for the agent, or for its turn. */
  readonly #waiting = new Set<string>()
  /** By agent. */
  readonly #attempts = new Map<string, { readonly attempt: Attempt; readonly done: Promise<void> }>()
  #isStopping = false

  constructor(deps: PreparerDeps) {
    this.#deps = deps
  }

  /** Goes on with what an earlier server left. */
  async start(): Promise<void> {
    const { repository } = this.#deps
    for (const id of await repository.inState('setting_up'))
      await repository.turn(id, ['setting_up'], 'failed', { error: CUT_OFF })
    for (const id of await repository.inState('cloning')) await repository.turn(id, ['cloning'], 'waiting')
    for (const id of await repository.inState('waiting')) this.add(id)
  }

  /** What runs is left as it is in the database, for the next server. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all([...this.#attempts.values()].map(({ done }) => done))
  }

  /** One waits for its agent to run, or begins at once. */
  add(agentId: string): void {
    this.#waiting.add(agentId)
    this.look(agentId)
  }

  /** The agent may run now. */
  look(agentId: string): void {
    const isReady = this.#waiting.has(agentId) && this.#deps.board.get(agentId).runningId !== null
    if (!isReady || this.#isStopping || this.#attempts.has(agentId)) return
    this.#waiting.delete(agentId)
    const attempt = new Attempt((row, live) => this.tell(row, live))
    const done = this.#attempt(agentId, attempt).finally(() => {
      attempt.over()
      this.#attempts.delete(agentId)
      // It was tried again while the programs of this attempt ended.
      this.look(agentId)
    })
    this.#attempts.set(agentId, { attempt, done })
  }

  /** Ends its programs. The state in the database decides that it does not go on. */
  end(agentId: string): void {
    this.#waiting.delete(agentId)
    this.#attempts.get(agentId)?.attempt.leave()
  }

  /** What is known of one in progress; null if it does not run. */
  live(agentId: string): Live | null {
    return this.#attempts.get(agentId)?.attempt.live ?? null
  }

  tell(row: PreparationRow, live: Live | null = null): void {
    const { agentId } = row
    this.#deps.news.emit({
      agentId,
      event: { type: 'agent:preparation', agentId, preparation: toPreparation(row, live) },
    })
  }

  /** Never rejects. */
  async #attempt(agentId: string, attempt: Attempt): Promise<void> {
    const { repository, log } = this.#deps
    try {
      await this.#prepare(agentId, attempt)
    } catch (error) {
      // The next server goes on with what this one leaves.
      if (error instanceof Over || this.#isStopping) return
      const message = messageOf(error)
      if (message === null) log.error({ agentId, err: error }, 'an agent could not be prepared')
      const changes = { error: message ?? UNKNOWN, output: attempt.live.output }
      await repository.turn(agentId, ACTIVE, 'failed', changes).then(
        (failed) => failed && this.tell(failed),
        (unstored: unknown) => log.error({ agentId, err: unstored }, 'the end of a preparation could not be stored'),
      )
    }
  }

  async #prepare(agentId: string, attempt: Attempt): Promise<void> {
    const { repository, recovered, provisioner } = this.#deps
    const row = await repository.find(agentId)
    if (row?.state !== 'waiting') return
    const found = await this.#found(row)
    // What an earlier server started in the agent has to end before.
    if (!(await recovered(null, agentId))) throw new Failure(NO_ENGINE)
    attempt.hide(await provisioner.secrets(row.userId, found.row))
    const prepared = await this.#setUp(await this.#clone(row, attempt), attempt)
    const output = attempt.live.output
    const ready = await repository.turn(agentId, ACTIVE, 'ready', { output, ...(await this.#startTask(prepared)) })
    if (!ready) throw new Over()
    this.tell(ready)
  }

  async #clone(row: PreparationRow, attempt: Attempt): Promise<PreparationRow> {
    const { agentId, url, ref, folder } = row
    if (url === null || folder === null || row.isCloned) return row
    await this.#turn(row, ['waiting'], 'cloning', attempt)
    const argv = cloning(this.#deps.newId(), { id: agentId, url, ref, folder })
    const { exitCode, stdout, timedOut } = await this.#run(row, attempt, {
      ...{ argv, seconds: CLONE_SECONDS, environment: forClone },
      isShown: (from) => from === 'stderr',
    })
    if (timedOut) throw new Failure('The clone took longer than half an hour, so it was ended.')
    const cloned = exitCode === 0 ? clonedIn(stdout) : null
    if (!cloned) throw new Failure(cloneFailure(exitCode, attempt.live.output))
    return this.#turn(row, ['cloning'], 'cloning', attempt, { isCloned: true, ...cloned })
  }

  async #setUp(row: PreparationRow, attempt: Attempt): Promise<PreparationRow> {
    if (row.setupCommand === null) return row
    const now = await this.#turn(row, ['waiting', 'cloning'], 'setting_up', attempt)
    const { exitCode, timedOut } = await this.#run(row, attempt, {
      argv: ['/bin/sh', '-c', row.setupCommand],
      cwd: folderPath(row.folder),
      seconds: SETUP_SECONDS,
      environment: forSetUp,
      isShown: () => true,
    })
    if (timedOut) throw new Failure('The set-up command took longer than half an hour, so it was ended.')
    if (exitCode !== 0) throw new Failure(`The set-up command ended with exit code ${exitCode}.`)
    return now
  }

  /** A task that cannot start does not undo the rest. */
  async #startTask(row: PreparationRow): Promise<Changes> {
    const { runs, repository, newId, log } = this.#deps
    if (row.taskPrompt === null) return {}
    const taskId = row.taskId ?? newId()
    const named = await repository.turn(row.agentId, ACTIVE, stateOf(row), { taskId })
    if (!named) throw new Over()
    try {
      const { caller, row: agent } = await this.#found(row, 'task.start')
      const provider = row.taskProvider === null ? {} : { provider: row.taskProvider }
      const cwd = row.folder === null ? {} : { cwd: row.folder }
      await runs.create(caller, { agent: agent.name, prompt: row.taskPrompt, ...provider, ...cwd, queue: true }, taskId)
      return { taskError: null }
    } catch (error) {
      if (this.#isStopping) throw error
      log.warn({ agentId: row.agentId, err: error }, 'the first task of an agent could not be started')
      return { taskError: messageOf(error) ?? UNKNOWN }
    }
  }

  async #run(
    row: PreparationRow,
    attempt: Attempt,
    what: Pick<ExecBody, 'argv' | 'cwd'> & {
      readonly seconds: number
      readonly environment: (provision: Provision) => Record<string, string>
      readonly isShown: (from: 'stdout' | 'stderr') => boolean
    },
  ): Promise<ExecResult> {
    const { argv, cwd, seconds, environment, isShown } = what
    const { caller } = await this.#found(row)
    const body: ExecBody = { argv, timeoutSeconds: seconds, ...(cwd !== undefined && { cwd }) }
    return this.#deps.execs.run(body, {
      caller: () => Promise.resolve(caller),
      locate: () => this.#found(row),
      left: attempt.left,
      environment,
      onOutput: (from, chunk) => {
        if (isShown(from)) attempt.output(chunk)
      },
    })
  }

  /** Throws {@link Over} if its state is another one by now. */
  async #turn(
    { agentId }: PreparationRow,
    from: readonly PreparationState[],
    to: PreparationState,
    attempt: Attempt,
    changes: Changes = {},
  ): Promise<PreparationRow> {
    const now = await this.#deps.repository.turn(agentId, from, to, changes)
    if (!now) throw new Over()
    attempt.next(now)
    return now
  }

  /** In whose name it runs, with the rights that they have now. */
  async #found(
    { agentId, userId, via, viaId, url, setupCommand }: PreparationRow,
    action: 'agent.prepare' | 'task.start' = url === null && setupCommand === null ? 'task.start' : 'agent.prepare',
  ): Promise<Found> {
    const proof = proofIn(via, viaId)
    const found = userId && proof ? await this.#deps.reinstate({ userId, agentId, via: proof }, action) : null
    if (!found) throw new Failure(NOT_ALLOWED)
    return found
  }
}

/** What may be shown of an error; null for one that was not expected. */
const messageOf = (error: unknown): string | null =>
  error instanceof Failure || error instanceof AppError ? error.message : null

const stateOf = ({ state }: PreparationRow): PreparationState => ACTIVE.find((one) => one === state) ?? 'waiting'

const KINDS: readonly Proof['kind'][] = ['sign_in', 'user', 'discord', 'api_token']
const proofIn = (via: string, id: string): Proof | null => {
  const kind = KINDS.find((one) => one === via)
  return kind && isUuid(id) ? { kind, id } : null
}
