/** An interactive run: its CLI has a terminal, whose end is the end of the run. */
import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, SECOND_MS } from '../../../lib/time/clock.ts'
import type { Log } from '../../../lib/log.ts'
import { within } from '../../../lib/time/within.ts'
import { disconnected } from '../../sessions/ending.ts'
import type { OpenProgram, Programs } from '../../sessions/programs.ts'
import type { TaskTerminal, TerminalOver } from '../../sessions/task-terminals.ts'
import { labelOfRun } from '../../providers/task-provider.ts'
import type { RunChanges } from '../changes/changes.ts'
import type { HeldRun } from '../conduct/conducted.ts'
import { retryMs } from '../conduct/retry.ts'
import type { LiveRun } from '../conduct/follow.ts'
import { endOf, type Outcome, type RunEnd } from '../end.ts'
import { costOf, sharesOf } from '../ledger/shares.ts'
import type { LiveRuns } from '../live-runs.ts'
import type { Masking } from '../output/masking.ts'
import { NOTHING_SAID } from '../../providers/headless/parts/verdict.ts'
import type { Held, RunRepository, RunRow } from '../repository.ts'
import type { Collected, StoredRunEnd } from '../stored-end.ts'
import { endOfTerminal } from './end.ts'
import { writeRing } from './ring.ts'
import { TerminalTail } from './tail.ts'

/** How long the end waits for the last processes of the terminal before it reads what has changed, in seconds. */
const GONE_SECONDS = 10

export interface InteractiveDeps {
  readonly repository: Pick<RunRepository, 'end'>
  readonly programs: Pick<Programs, 'over' | 'release'>
  readonly lives: Pick<LiveRuns, 'over'>
  /** The folder of the transcripts. */
  readonly folder: string
  readonly clock: Clock
  readonly log: Log
  /** Called when the run has ended, after its end was stored. */
  readonly ended: (run: Pick<InteractiveParts, 'open' | 'live' | 'run'>, end: StoredRunEnd) => void
}

export interface InteractiveParts {
  readonly terminal: TaskTerminal
  readonly open: OpenProgram
  readonly held: Held
  readonly live: LiveRun
  readonly changes: RunChanges
  readonly masking: Masking
  readonly run: Pick<
    RunRow,
    'provider' | 'displayName' | 'outputFormat' | 'agentName' | 'model' | 'timeoutSeconds' | 'cliSessionId'
  >
  /** The offset up to which an earlier backend has stored the terminal's output. */
  readonly from: number
  /** How long it has run already, in milliseconds. */
  readonly ranMs: number
}

export class InteractiveRun implements HeldRun {
  readonly run: InteractiveParts
  readonly #deps: InteractiveDeps
  readonly #tail: TerminalTail
  readonly #settled = Promise.withResolvers<null>()
  readonly settled: Promise<null> = this.#settled.promise
  readonly done: Promise<void>
  readonly #left = Promise.withResolvers<null>()
  readonly #timer: NodeJS.Timeout | null
  /** Why it is ended; null: its terminal ends by itself. */
  #outcome: Outcome | null = null
  #isStopping = false

  constructor(deps: InteractiveDeps, run: InteractiveParts) {
    this.#deps = deps
    this.run = run
    const { terminal, held, live, masking, from, ranMs } = run
    const { timeoutSeconds: seconds } = run.run
    const { folder, clock, log } = deps
    this.#tail = new TerminalTail({
      ...{ terminal, from, live, masking, clock },
      store: (entry) => writeRing(folder, held, entry),
      onFailure: (error) => log.error({ sessionId: held.id, err: error }, 'the output of a terminal cannot be stored'),
    })
    const late = (): void => {
      this.#end({ kind: 'timed_out', seconds }, `The task took longer than ${seconds} seconds, so it was ended.`)
    }
    this.#timer = seconds === 0 ? null : setTimeout(late, Math.max(0, seconds * SECOND_MS - ranMs)).unref()
    this.done = this.#conduct()
      .catch((error: unknown) => log.error({ sessionId: held.id, err: error }, 'a run could not be conducted'))
      .finally(() => this.#settled.resolve(null))
  }

  terminate(by = ''): void {
    this.#end({ kind: 'terminated', by }, `${by} ended the task.`)
  }

  async letGo(): Promise<void> {
    this.#isStopping = true
    this.#left.resolve(null)
    await this.done
  }

  learn(secrets: readonly string[]): void {
    this.run.masking.learn(secrets)
  }

  #end(outcome: Outcome, message: string): void {
    this.#outcome ??= outcome
    this.run.terminal.end({ ...disconnected, message })
  }

  async #conduct(): Promise<void> {
    const { terminal, open, held } = this.run
    const { programs, lives, log } = this.#deps
    const over = await Promise.race([terminal.over, this.#left.promise])
    if (this.#timer) clearTimeout(this.#timer)
    try {
      if (over === null || over.goesOn) {
        await this.#tail.leave()
        return log.info({ sessionId: held.id }, 'run let go')
      }
      await this.#tail.finish()
      await this.#finish(over)
    } finally {
      lives.over(held.id)
      programs.release(open)
    }
  }

  async #finish({ ending }: TerminalOver): Promise<void> {
    const { terminal, changes, open, run } = this.run
    const names = { provider: labelOfRun(run), agent: run.agentName }
    const outcome = this.#outcome
    const end = outcome ? endOf(outcome, NOTHING_SAID, names) : endOfTerminal(ending, names, open.caller.email)
    const gone = terminal.gone.catch(() => undefined)
    let collected: Collected | null = null
    if (ending.reason === 'exited') {
      await within(GONE_SECONDS * SECOND_MS, gone, () => undefined)
      collected = await changes.collect()
    }
    await this.#store(end, collected)
    this.#deps.programs.over(open)
    await gone
    if (!collected) await changes.collectLate()
    this.#settled.resolve(null)
    void changes.leave()
  }

  /** While the database refuses, it is tried again: no run is left running for ever. */
  async #store(end: RunEnd, collected: Collected | null): Promise<void> {
    const { held, live, run } = this.run
    const { repository, ended, log } = this.#deps
    // What its CLI has used is not known.
    const usage = sharesOf({ usage: [], costUsd: null, hasWorked: true }, run.model)
    const { cliSessionId } = run
    const used = { usage, totals: [], ...costOf(usage) }
    const stored: StoredRunEnd = { ...end, ...used, result: null, cliSessionId, lastSeq: live.lastSeq, ...collected }
    for (let tries = 0; ; tries += 1)
      try {
        if (await repository.end(held, stored)) ended(this.run, stored)
        return
      } catch (error) {
        log.error({ sessionId: held.id, err: error, tries }, 'the end of a run could not be stored')
        // Its session says to the next backend how it ended.
        if (this.#isStopping) return
        await delay(retryMs(tries), undefined, { ref: false })
      }
  }
}
