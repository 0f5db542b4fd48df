/** Follows the program of a run: stores what it prints, ends it if necessary, and records its end once. */
import type { RunHappening, RunReason } from '@slipway/protocol'
import { SECOND_MS } from '../../../lib/time/clock.ts'
import { within } from '../../../lib/time/within.ts'
import type { OutputName } from '../../../runtime/program.ts'
import type { UserMessage } from '../../providers/headless/headless.ts'
import type { Outcome } from '../end.ts'
import type { RunReader } from '../output/reader.ts'
import type { Collected } from '../stored-end.ts'
import type { StallWatch } from '../stall/watch.ts'
import { addEvent } from './add.ts'
import type { ConductDeps, ConductedRun, HeldRun } from './conducted.ts'
import { Deadlines } from './deadlines.ts'
import { EndRecord } from './end-record.ts'
import { type Interruption, type Judgement, RunGate } from './gate.ts'
import { interrupt, INTERRUPT_SECONDS } from './interrupt.ts'

/** How long the end of a run waits for a disk that refuses, in seconds. */
const DISK_SECONDS = 30

/** The backend goes without the run, which continues in its container. */
const LET_GO = { kind: 'let_go' } as const

export class Conductor implements HeldRun {
  readonly #deps: ConductDeps
  readonly #run: ConductedRun
  readonly #outcome = Promise.withResolvers<Outcome | typeof LET_GO>()
  /** What ends the run from outside, also after its program has ended. */
  readonly #interrupted = Promise.withResolvers<Interruption>()
  readonly #gate: RunGate
  readonly #deadlines: Deadlines
  readonly #beganAt = performance.now()
  /** Null while it is not watched. */
  #stall: ReturnType<StallWatch['watch']> | null = null
  #cliSessionId: string | null = null
  #stopping = false
  #hasExited = false
  /** Null: not collected yet. */
  #collected: Collected | null = null
  readonly #record: EndRecord
  /** Aborted when nothing of the run is left in this backend. */
  readonly #left = new AbortController()
  /** Settles when everything that was read is stored. */
  #stored: Promise<void> = Promise.resolve()
  readonly #settled = Promise.withResolvers<null>()
  /** Resolves when all that the run's row and its result say is stored. Its last processes may still be going. */
  readonly settled: Promise<null> = this.#settled.promise
  /** Resolves when nothing of the run is left in this backend. */
  readonly done: Promise<void>

  constructor(deps: ConductDeps, run: ConductedRun) {
    this.#deps = deps
    this.#run = run
    this.#record = new EndRecord(deps, run)
    const { timeoutSeconds, ranMs } = run
    this.#deadlines = new Deadlines({ timeoutSeconds, ranMs, over: (outcome) => this.#outcome.resolve(outcome) })
    this.#gate = new RunGate(deps, run, {
      readRest: () => this.#readRest(),
      interrupted: this.#interrupted.promise,
      workedMs: () => this.#deadlines.ranMs,
    })
    const unsubscribe = deps.questions.changed.on((id) => id === run.held.id && this.#waits())
    this.done = this.#conduct()
      .catch((error: unknown) => deps.log.error({ sessionId: run.held.id, err: error }, 'a run could not be conducted'))
      .finally(() => {
        unsubscribe()
        this.#left.abort()
        this.#settled.resolve(null)
        run.meter.leave()
      })
  }

  get run(): ConductedRun {
    return this.#run
  }

  /** Ends the run in the name of a user. One whose row has ended already needs no name. */
  terminate(by = ''): void {
    this.#end({ kind: 'terminated', by })
  }

  /** Leaves the run to the next backend. Resolves when what it printed so far is stored. */
  async letGo(): Promise<void> {
    this.#stopping = true
    this.#record.stop()
    this.#end(LET_GO)
    await this.done
  }

  #end(interruption: Interruption): void {
    this.#outcome.resolve(interruption)
    this.#interrupted.resolve(interruption)
  }

  /** Gives the program a message of a user while its turn goes on. False if it takes none. */
  steer(message: UserMessage): Promise<boolean> {
    return this.#run.people?.steer(message) ?? Promise.resolve(false)
  }

  /** Adds to the events of the run. */
  add(happening: RunHappening): void {
    addEvent(this.#run, happening, this.#deps.clock.now())
  }

  async #conduct(): Promise<void> {
    const { open, program, reader, writer, hasEnded, meter, isQuiet, people } = this.#run
    open.leader = program.leader
    this.#cliSessionId = reader.verdict.sessionId
    meter.read(reader.verdict)
    program.onOutput((chunk, from, offset) => this.#read(chunk, from, offset))
    const { isOver } = reader.verdict
    if (!hasEnded) this.#deadlines.start({ hasBegun: reader.seq > 0 || isQuiet, isOver })
    people?.whenAnswered(() => this.#count())
    this.#heed(reader)
    this.#waits()
    if (isOver) people?.finish()
    if (!hasEnded)
      this.#stall = this.#deps.stalls.watch({
        agentId: open.row.id,
        sessionId: open.sessionId,
        leader: program.leader,
        isHeldUp: () => writer.isFull || this.#isAsked,
        over: (outcome) => this.#outcome.resolve(outcome),
      })
    void program.exit.then(() => (this.#hasExited = true))
    void program.exit.then((exit) => this.#outcome.resolve({ kind: 'exited', exit }))
    void meter.limited.then((outcome) => this.#outcome.resolve(outcome))
    void open.ended.then((ending) => this.#end({ kind: 'ended', ending }))
    const outcome = await this.#outcome.promise
    this.#deadlines.stop()
    this.#stall?.leave()
    const isGone = outcome.kind === 'exited' && outcome.exit.cause === 'engine_unavailable'
    if (outcome.kind === 'let_go' || isGone) return this.#leave(isGone)
    const passed = await this.#gate.pass(outcome)
    if ('isLost' in passed) return this.#leave(passed.isLost)
    await this.#finish(passed.outcome, passed.decision)
  }

  #read(chunk: Uint8Array, from: OutputName, offset: number): void {
    const { reader, program, writer, live, held, hasEnded, meter, people } = this.#run
    this.#stall?.heard()
    const entries = reader.read(chunk, from, offset, this.#deps.clock.now())
    const { offsets, asks, messages, untaken } = reader
    if (entries.length > 0) {
      meter.read(reader.verdict)
      if (this.#deadlines.begun()) this.#begun()
      if (reader.verdict.isOver && !hasEnded) {
        this.#deadlines.waitForExit(entries.some(({ events }) => events.length > 0))
        people?.finish()
      } else this.#deadlines.goesOn()
    }
    const { sessionId } = reader.verdict
    if (sessionId !== null && sessionId !== this.#cliSessionId) {
      this.#cliSessionId = sessionId
      this.#deps.repository.named(held, sessionId).catch((error: unknown) =>
        // The end stores it again.
        this.#deps.log.warn({ sessionId: held.id, err: error }, 'the session of a CLI could not be recorded'),
      )
    }
    const stored = entries.length === 0 ? this.#stored : writer.append(entries)
    if (writer.isFull) program.pause()
    this.#stored = stored.then(
      () => {
        live.stored(entries)
        this.#heed({ asks, messages, untaken })
        // Only what is stored may be dropped in the container.
        program.acknowledge('stdout', offsets.stdout)
        program.acknowledge('stderr', offsets.stderr)
        if (!writer.isFull) program.resume()
      },
      () => undefined,
    )
  }

  /** What the program waits for, in what is stored. While people are asked, no time limit counts. */
  #heed({ asks, messages, untaken }: Pick<RunReader, 'asks' | 'messages' | 'untaken'>): void {
    const { people } = this.#run
    people?.refused(untaken)
    people?.tell(messages)
    people?.update(asks)
    this.#count()
  }

  /** Whether people are asked, by the CLI or by another program of the run. */
  get #isAsked(): boolean {
    const { people, held } = this.#run
    return people?.isAsked === true || this.#deps.questions.has(held.id)
  }

  #count(): void {
    if (this.#isAsked) this.#deadlines.pause()
    else if (!this.#run.hasEnded) this.#deadlines.count()
  }

  /** A program of the run asks people, or does not any more. */
  #waits(): void {
    this.#count()
    void this.#run.wait.keep(this.#left.signal)
  }

  /** The first line has come. */
  #begun(): void {
    this.#deps.metrics.firstEvent(this.#run.provider, (performance.now() - this.#beganAt) / SECOND_MS)
  }

  /** The run goes on without this backend, or out of its reach. */
  async #leave(isLost: boolean): Promise<void> {
    const { open, program, writer, held, people } = this.#run
    people?.leave()
    program.release()
    // It writes once more what waits, and gives up what the disk refuses.
    await writer.close()
    await this.#stored
    this.#deps.lives.over(held.id)
    this.#deps.programs.release(open)
    // A backend that was stopped and wakes up must not take it back.
    if (isLost && !this.#stopping && !(await this.#asksWhetherTaken())) this.#deps.records.letGo(open.sessionId)
    this.#deps.log.info({ sessionId: held.id }, 'run let go')
  }

  async #finish(outcome: Outcome, decision: Judgement | null): Promise<void> {
    const { open, program, writer, held, changes, people } = this.#run
    const record = this.#record
    const { log, programs, records, lives } = this.#deps
    const mayWait = record.continuesAt(outcome) !== null
    try {
      if (outcome.kind !== 'exited' && (await interrupt(this.#run, outcome, log)))
        await this.#within(program.exit, INTERRUPT_SECONDS)
      await this.#within(this.#stored)
      const isOver = this.#hasExited || outcome.kind === 'finished_without_exit'
      if (isOver && !mayWait) this.#collected = await changes.collect()
      // Before the program is collected: after a crash in between, the next server finds how it ended.
      if (outcome.kind !== 'exited' && !(await record.store(outcome, this.#collected, decision))) return
      await this.#endProgram(outcome)
      await this.#readRest()
      if (outcome.kind !== 'exited') await record.extend()
      else if (!(await record.store(outcome, this.#collected, decision))) return
      if (!this.#collected && !record.isWaiting) await changes.collectLate()
      this.#settled.resolve(null)
    } finally {
      if (record.isTaken || record.isLeft) people?.leave()
      else await people?.end()
      if (record.isTaken || record.isLeft) program.release()
      else
        await program.hangUp().catch((error: unknown) => {
          log.error({ sessionId: held.id, err: error }, 'processes of a run are left')
        })
      await writer.close()
      // Those who follow it wait for its next process, too.
      if (!record.isWaiting) lives.over(held.id)
      programs.release(open)
    }
    if (!record.isWaiting) void changes.leave()
    // Last, because a run with an open session is looked at again after a crash.
    const reason = record.isWaiting ? waitReason(decision) : (record.end?.reason ?? 'lost')
    records.ended(open.sessionId, { reason, exitCode: record.end?.exitCode ?? null })
    log.info({ sessionId: held.id, agentId: open.row.id, reason }, record.isWaiting ? 'run waits' : 'run ended')
  }

  async #endProgram({ kind }: Outcome): Promise<void> {
    if (kind !== 'exited') await this.#run.program.hangUp().catch(() => undefined)
  }

  /** Waits for a limited time, for example while the disk refuses. */
  async #within(work: Promise<unknown>, seconds = DISK_SECONDS): Promise<void> {
    const { held } = this.#run
    await within(
      seconds * SECOND_MS,
      work.catch(() => undefined),
      () => {
        this.#deps.log.warn({ sessionId: held.id }, 'the end of a run does not wait any longer')
      },
    )
  }

  /** Stores the last line, which has no line feed. */
  async #readRest(): Promise<void> {
    const { reader, writer, live } = this.#run
    await this.#within(this.#stored)
    const entries = reader.end(this.#deps.clock.now())
    if (entries.length === 0) return
    const stored = writer.append(entries).then(() => live.stored(entries))
    await this.#within(stored)
  }

  /** False if the database does not answer. */
  async #asksWhetherTaken(): Promise<boolean> {
    return this.#deps.repository.isTaken(this.#run.held).catch(() => false)
  }
}

/** Why the session of a run ended that goes on later. */
const waitReason = (decision: Judgement | null): RunReason =>
  decision?.kind === 'repairs' ? decision.reason : 'usage_limit'
