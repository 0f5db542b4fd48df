/** Validates what a task did: finds out what to run, runs it, and decides what the results mean. */
import {
  DIFF_FILES_MAX,
  type RunningCheck,
  VALIDATION_TIMEOUT_SECONDS_DEFAULT,
  type ValidateOptions,
  type ValidationEvidence,
} from '@slipway/protocol'
import { posix } from 'node:path'
import { SECOND_MS } from '../../lib/time/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { AgentService, Found } from '../agents/service.ts'
import type { Provisioner } from '../credentials/provision/provision.ts'
import type { ExecService } from '../exec/service.ts'
import { readDiff, startTreeOf } from '../runs/changes/stored.ts'
import { Masking } from '../runs/output/masking.ts'
import type { RunRow } from '../runs/repository.ts'
import { engineUnavailable } from '../sessions/ending.ts'
import { asFailure } from '../sessions/failure.ts'
import { makeBaseline, removeBaseline } from './baseline.ts'
import { type CheckContext, runCheck } from './check.ts'
import { factsOf } from './plan/facts.ts'
import { NO_EVIDENCE, planOf } from './plan/plan.ts'
import { hasFailed, type Verdict, verdictOf } from './verdict.ts'

export interface ValidatorDeps {
  readonly execs: Pick<ExecService, 'run'>
  readonly agents: Pick<AgentService, 'snapshot'>
  readonly provisioner: Pick<Provisioner, 'taskSecrets'>
  readonly runtime: Pick<ContainerRuntime, 'run'>
  /** The folder of the transcripts. */
  readonly folder: string
  readonly log: Log
}

/** A run to validate. */
export interface Validating {
  readonly run: Pick<RunRow, 'id' | 'cwd'>
  /** In whose name its commands run, as in `Job`. It is asked at the turn, and before each command. */
  readonly found: () => Promise<Found>
  readonly options: ValidateOptions
  /** Aborted when the validation is ended. The call then rejects, or resolves with what it had. */
  readonly signal: AbortSignal
  /** Called with each change of what is known. What it stores is stored before the next command starts. */
  readonly progress: (evidence: ValidationEvidence) => Promise<void>
  /** Called if a command holds a credential of its user's own. */
  readonly personal: () => void
  /** Called when a command runs, with what it is and the end of its output so far. */
  readonly live: (running: LiveCheck) => void
}

/** A command that runs. */
export interface LiveCheck extends Omit<RunningCheck, 'output'> {
  readonly output: () => string
}

/** What came of it. */
export interface Outcome {
  readonly verdict: Verdict
  readonly evidence: ValidationEvidence
}

export class Validator {
  readonly #deps: ValidatorDeps

  constructor(deps: ValidatorDeps) {
    this.#deps = deps
  }

  /** Throws what the runtime, the execs and `found` throw. */
  async validate(validating: Validating): Promise<Outcome> {
    const { run, found, options, progress } = validating
    const { row } = await found()
    const { runningId, reason: why } = this.#deps.agents.snapshot(row)
    if (why?.code === 'engine_unavailable') throw asFailure(engineUnavailable)
    if (runningId === null) return without('agent_stopped', NO_EVIDENCE)
    const changed = await this.#changed(run.id)
    const folders = [...new Set((changed ?? []).map((path) => posix.dirname(path)))]
    const facts = await factsOf(this.#deps.runtime, runningId, { cwd: run.cwd, changed: folders })
    if (!facts) return without('unreadable', NO_EVIDENCE)
    const { evidence, reason } = planOf(facts, { command: options.command ?? null, changed })
    if (reason !== null) return without(reason, evidence)
    await progress(evidence)
    const root = evidence.root ?? run.cwd
    await this.#runAll(validating, root, evidence, 'after')
    if (evidence.checks.some(({ after }) => hasFailed(after)))
      await this.#before(validating, runningId, evidence, facts.prefix)
    return { verdict: verdictOf(evidence.checks), evidence }
  }

  /** The files that the task changed, relative to the top of the work tree; null if they are not all known. */
  async #changed(id: string): Promise<string[] | null> {
    const diff = await readDiff(this.#deps.folder, id)
    if (!diff || diff.filesChanged === null || diff.filesChanged > DIFF_FILES_MAX) return null
    return diff.files.flatMap(({ path, oldPath }) => (oldPath === null ? [path] : [path, oldPath]))
  }

  /** Runs the commands one after the other, each to its end. */
  async #runAll(
    { found, options, signal, progress, personal, live }: Validating,
    root: string,
    evidence: ValidationEvidence,
    when: 'after' | 'before',
  ): Promise<void> {
    const { execs, provisioner } = this.#deps
    const { caller, row } = await found()
    const masking = new Masking(await provisioner.taskSecrets(caller.userId, row))
    const seconds = options.timeoutSeconds ?? VALIDATION_TIMEOUT_SECONDS_DEFAULT
    const place = { found, root, masking, until: performance.now() + seconds * SECOND_MS, signal, personal }
    for (const [index, check] of evidence.checks.entries()) {
      signal.throwIfAborted()
      const runs: CheckContext['live'] = (output) => live({ check: index, when, output })
      check[when] = await runCheck(execs, check, { ...place, live: runs })
      await progress(evidence)
    }
  }

  /** The same at the start of the task. If that cannot be, the failures stand as they are. */
  async #before(
    validating: Validating,
    containerId: string,
    evidence: ValidationEvidence,
    prefix: string,
  ): Promise<void> {
    const { runtime, folder, log } = this.#deps
    const { id } = validating.run
    const tree = await startTreeOf(folder, id)
    if (tree === null) return
    try {
      const root = await makeBaseline(runtime, containerId, { runId: id, tree, prefix })
      if (root !== null) await this.#runAll(validating, root, evidence, 'before')
    } catch (error) {
      validating.signal.throwIfAborted()
      log.warn({ taskId: id, err: error }, 'a validation could not be repeated at the start of its task')
    } finally {
      await removeBaseline(runtime, containerId).catch((error: unknown) => {
        log.debug({ taskId: id, err: error }, 'the copy of a start is left until the next one')
      })
    }
  }
}

const without = (reason: NonNullable<Verdict['reason']>, evidence: ValidationEvidence): Outcome => ({
  verdict: { state: 'not_verified', reason },
  evidence,
})
