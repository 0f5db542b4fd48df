/** The steps that prepare an agent, each as programs of its user: clone, set-up, first task. */
import {
  AgentTemplate,
  type ConfirmPreparation,
  type DevcontainerOffer,
  type ExecBody,
  type ExecResult,
  type PreparationState,
} from '@slipway/protocol'
import { Check } from 'typebox/value'
import { AppError } from '../../lib/errors.ts'
import { isUuid, type NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { AgentService, Found } from '../agents/service.ts'
import type { Activity } from '../agents/state/activity.ts'
import type { Provision } from '../credentials/provision/provision.ts'
import type { VariableService } from '../credentials/variables/service.ts'
import type { ExecService } from '../exec/service.ts'
import type { Proof } from '../identity/caller.ts'
import type { RunService } from '../runs/service.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { type Attempt, Over } from './attempt.ts'
import { needsDecision, offerIn } from './devcontainer/offer.ts'
import { forClone, forSetUp } from './environment.ts'
import { clonedIn, cloneFailure, cloning, CLONE_SECONDS, folderPath, SETUP_SECONDS } from './program.ts'
import { type Changes, NOTHING, type PreparationRepository, type PreparationRow } from './repository.ts'
import { confirmedOf, offerOf } from './view.ts'

/** Plain variables, as a preparation stores them. */
const Variables = AgentTemplate.properties.variables

export interface StepDeps {
  readonly repository: PreparationRepository
  readonly reinstate: Sessions['reinstate']
  readonly execs: Pick<ExecService, 'run'>
  readonly runs: Pick<RunService, 'create'>
  readonly agents: Pick<AgentService, 'view'>
  readonly variables: Pick<VariableService, 'list' | 'set'>
  readonly activity: Pick<Activity, 'saw'>
  /** The images that agents may have here. */
  readonly images: () => readonly string[]
  readonly newId: NewId
  readonly log: Log
}

/** Why an attempt failed, for its user. */
export class Failure extends Error {
  override readonly name = 'Failure'
}

/** What may be shown of an error; null for one that was not expected. */
export const messageOf = (error: unknown): string | null =>
  error instanceof Failure || error instanceof AppError ? error.message : null

/** The states in which this server works on it. */
export const ACTIVE: readonly PreparationState[] = ['waiting', 'cloning', 'setting_up']

const NOT_ALLOWED =
  'The user in whose name this runs may not do it any more. A user who may can try again, and it then runs in their name.'
const OLD_CONTAINER =
  'The agent has not restarted since its image or its limits were set. Restart the agent, and try again when it runs.'
export const UNKNOWN = 'The server could not do it. Its log says why.'

/** A program of the set-up. */
interface SetUpProgram {
  /** As the subject of a sentence. */
  readonly name: string
  readonly argv: string[]
}

/** A command that begins with `-` would be an option of the shell. */
const shell = (command: string): string[] => ['/bin/sh', '-c', ` ${command}`]

/** The programs of each stage of the set-up. Those of one stage run at the same time. */
const stagesOf = (
  { setupCommand }: PreparationRow,
  offer: DevcontainerOffer | null,
  confirmed: ConfirmPreparation | null,
): SetUpProgram[][] => {
  const created = confirmed?.postCreateCommand ? (offer?.postCreateCommand ?? []) : []
  const first = created.map(({ name, command }) => ({
    name: name === null ? 'postCreateCommand' : `postCreateCommand (${name})`,
    argv: typeof command === 'string' ? shell(command) : command,
  }))
  const second = setupCommand === null ? [] : [{ name: 'The set-up command', argv: shell(setupCommand) }]
  return [first, second].filter((stage) => stage.length > 0)
}

export class Steps {
  readonly #deps: StepDeps

  constructor(deps: StepDeps) {
    this.#deps = deps
  }

  /** Sets the variables of its template. One that is set already stays as it is. Throws like setting one. */
  async setVariables(row: PreparationRow): Promise<void> {
    const wanted: unknown = row.variables
    if (!Check(Variables, wanted) || wanted.length === 0) return
    const { variables } = this.#deps
    const { caller, row: agent } = await this.found(row)
    const set = new Set((await variables.list(agent.id)).map(({ name }) => name))
    for (const { name, value } of wanted)
      if (!set.has(name)) await variables.set(caller, agent, name, { value, secret: false })
  }

  /** Throws {@link Failure}, {@link Over}, and what an exec throws. */
  async clone(row: PreparationRow, attempt: Attempt): Promise<PreparationRow> {
    const { agentId, url, ref, folder } = row
    if (url === null || folder === null || row.isCloned) return row
    await this.#turn(row, ['waiting'], 'cloning', attempt)
    const argv = cloning(this.#deps.newId(), { id: agentId, url, ref, folder })
    const { exitCode, stdout, timedOut } = await this.#run(row, attempt, {
      ...{ argv, seconds: CLONE_SECONDS, environment: forClone },
      source: 'git',
      isShown: (from) => from === 'stderr',
    })
    if (timedOut) throw new Failure('The clone took longer than half an hour, so it was ended.')
    const cloned = exitCode === 0 ? clonedIn(stdout) : null
    if (!cloned) throw new Failure(cloneFailure(exitCode, attempt.live.output))
    const { commit, branch, devcontainer } = cloned
    const context = { folder: folderPath(folder), images: this.#deps.images() }
    const offer =
      devcontainer && row.devcontainer === 'ask' ? offerIn(devcontainer.path, devcontainer.text, context) : null
    const changes = { isCloned: true, commit, branch, offer: offer ?? NOTHING }
    this.#deps.activity.saw(agentId, { folder, branch, isFirst: true })
    return this.#turn(row, ['cloning'], 'cloning', attempt, changes)
  }

  /** Throws {@link Over} if a user has to decide about what the repository offers. */
  async confirm(row: PreparationRow, attempt: Attempt): Promise<void> {
    const offer = offerOf(row)
    if (offer === null || confirmedOf(row) !== null || !needsDecision(offer)) return
    await this.#turn(row, ['waiting', 'cloning'], 'confirming', attempt)
    throw new Over()
  }

  /**
   * Throws {@link Failure} if the container is older than the image that was confirmed: the server was killed before the
   * restart, or the restart failed.
   */
  checkImage(row: PreparationRow, found: Found): void {
    const isConfirmed = confirmedOf(row)?.image === true && offerOf(row)?.image?.isAllowed === true
    if (isConfirmed && this.#deps.agents.view(found).restartNeeded) throw new Failure(OLD_CONTAINER)
  }

  /** Runs what its user wants, and what of the repository they confirmed. Throws like {@link clone}. */
  async setUp(row: PreparationRow, attempt: Attempt): Promise<PreparationRow> {
    const stages = stagesOf(row, offerOf(row), confirmedOf(row))
    if (stages.length === 0) return row
    const now = await this.#turn(row, ['waiting', 'cloning'], 'setting_up', attempt)
    for (const stage of stages) {
      const ends = await Promise.allSettled(stage.map((program) => this.#runSetUp(row, attempt, program)))
      for (const end of ends) if (end.status === 'rejected') throw end.reason as Error
    }
    return now
  }

  /** A task that cannot start does not undo the rest. `isStopping`: the next server starts it. */
  async startTask(row: PreparationRow, attempt: Attempt, isStopping: () => boolean): Promise<Changes> {
    const { runs, repository, newId, log } = this.#deps
    if (row.taskPrompt === null) return {}
    const taskId = row.taskId ?? newId()
    const state = ACTIVE.find((one) => one === row.state) ?? 'waiting'
    await attempt.change(() => repository.turn(row.agentId, [state], state, { taskId }))
    try {
      const { caller, row: agent } = await this.found(row, 'task.start')
      const provider = row.taskProvider === null ? {} : { provider: row.taskProvider }
      const cwd = row.folder === null ? {} : { cwd: row.folder }
      await runs.create(caller, { agent: agent.name, prompt: row.taskPrompt, ...provider, ...cwd, queue: true }, taskId)
      return { taskError: null }
    } catch (error) {
      if (isStopping()) throw error
      log.warn({ agentId: row.agentId, err: error }, 'the first task of an agent could not be started')
      return { taskError: messageOf(error) ?? UNKNOWN }
    }
  }

  /** In whose name it runs, with the rights that they have now. Throws {@link Failure}. */
  async found(row: PreparationRow, action: 'agent.prepare' | 'task.start' = needsOf(row)): Promise<Found> {
    const { agentId, userId, via, viaId } = row
    const proof = proofIn(via, viaId)
    const found = userId && proof ? await this.#deps.reinstate({ userId, agentId, via: proof }, action) : null
    if (!found) throw new Failure(NOT_ALLOWED)
    return found
  }

  async #runSetUp(row: PreparationRow, attempt: Attempt, { name, argv }: SetUpProgram): Promise<void> {
    const { exitCode, timedOut } = await this.#run(row, attempt, {
      ...{ argv, cwd: folderPath(row.folder), seconds: SETUP_SECONDS, environment: forSetUp },
      source: name,
      isShown: () => true,
    })
    if (timedOut) throw new Failure(`${name} took longer than half an hour, so it was ended.`)
    if (exitCode !== 0) throw new Failure(`${name} ended with exit code ${exitCode}.`)
  }

  async #run(
    row: PreparationRow,
    attempt: Attempt,
    what: Pick<ExecBody, 'argv' | 'cwd'> & {
      readonly seconds: number
      readonly environment: (provision: Provision) => Record<string, string>
      readonly source: string
      readonly isShown: (from: 'stdout' | 'stderr') => boolean
    },
  ): Promise<ExecResult> {
    const { argv, cwd, seconds, environment, source, isShown } = what
    const { caller } = await this.found(row)
    const body: ExecBody = { argv, timeoutSeconds: seconds, ...(cwd !== undefined && { cwd }) }
    return this.#deps.execs.run(body, {
      caller: () => Promise.resolve(caller),
      locate: () => this.found(row),
      left: attempt.left,
      environment,
      onOutput: (from, chunk) => {
        if (isShown(from)) attempt.output(chunk, `${source} ${from}`)
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
    const now = await attempt.change(() => this.#deps.repository.turn(agentId, from, to, changes))
    attempt.next(now)
    return now
  }
}

/** A first task alone needs no more than to start one. */
const needsOf = ({ url, setupCommand, variables }: PreparationRow): 'agent.prepare' | 'task.start' =>
  url === null && setupCommand === null && variables === null ? 'task.start' : 'agent.prepare'

const KINDS: readonly Proof['kind'][] = ['sign_in', 'user', 'discord', 'api_token']
const proofIn = (via: string, id: string): Proof | null => {
  const kind = KINDS.find((one) => one === via)
  return kind && isUuid(id) ? { kind, id } : null
}
