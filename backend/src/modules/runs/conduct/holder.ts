/** The runs whose programs this backend holds. */
import type { RunHappening } from '@slipway/protocol'
import type { Signal } from '../../../lib/emitter.ts'
import type { Program } from '../../../runtime/program.ts'
import type { Provisioner } from '../../credentials/provision/provision.ts'
import { mayShow, type SetSecret } from '../../credentials/service.ts'
import { labelOfRun, type ProviderOfRun } from '../../providers/task-provider.ts'
import type { DialogRepository } from '../../dialogs/repository.ts'
import type { OpenProgram } from '../../sessions/programs.ts'
import type { RunChanges } from '../changes/changes.ts'
import { Conductor } from './conduct.ts'
import { addEvent } from './add.ts'
import type { ConductDeps, ConductedRun, HeldRun } from './conducted.ts'
import type { LiveRun } from './follow.ts'
import { type Gate } from '../gate/standing.ts'
import { Meter } from '../ledger/meter.ts'
import type { Spending } from '../ledger/spending.ts'
import type { RunReader } from '../output/reader.ts'
import { asksPeople, followed } from '../people/policy.ts'
import { ProgramInput } from '../people/input.ts'
import { type PeopleDeps, RunPeople } from '../people/people.ts'
import { eventsOf, PROGRAM_QUESTIONS_MAX, type Told } from '../people/told.ts'
import { RunWait } from '../people/wait.ts'
import type { Held, RunRepository, RunRow } from '../repository.ts'
import type { NewRun } from '../new-run.ts'
import type { Entry } from '../transcript/entry.ts'
import { type TranscriptPosition, TranscriptWriter } from '../transcript/file.ts'

export interface HolderDeps extends ConductDeps {
  readonly repository: ConductDeps['repository'] & Pick<RunRepository, 'endings' | 'asks'>
  /** The folder of the transcripts. */
  readonly folder: string
  readonly provisioner: Pick<Provisioner, 'taskSecrets'>
  /** Called when nothing of a run is left in this backend. It may go on in another one. */
  readonly left: (held: Held) => void
  readonly spending: Pick<Spending, 'watch'>
  readonly dialogs: PeopleDeps['dialogs'] & { readonly repository: Pick<DialogRepository, 'ofPrograms'> }
  /** Called when a run begins to wait for people, or does not wait any more, after this was stored. */
  readonly asking: (run: Pick<ConductedRun, 'open' | 'live'>, isWaiting: boolean) => void
  /** Told of each message of a user that a CLI has refused, perhaps again after a restart. */
  readonly untaken: Pick<Signal<Untaken>, 'emit'>
  /** Called when a held run begins to work, and when it does not work any more: it waits for people, or it is left. */
  readonly working: (open: OpenProgram, isAtWork: boolean) => void
}

/** A message that was given to a run, and that its CLI has refused. */
export interface Untaken {
  readonly runId: string
  readonly messageId: string
}

/** A run to hold. */
export interface Holding {
  readonly open: OpenProgram
  readonly held: Held
  readonly program: Program
  readonly reader: RunReader
  /** Where the transcript of the earlier backends ends; null for a new run. */
  readonly after: TranscriptPosition | null
  /** What clients follow. It has the entries of earlier backends already. */
  readonly live: LiveRun
  readonly changes: RunChanges
  readonly run: ProviderOfRun &
    Pick<RunRow, 'timeoutSeconds' | 'agentName' | 'cwd' | 'model' | 'waitsForLimit'> &
    Pick<RunRow, 'maxTurns' | 'maxBudgetUsd' | 'spentUsd'> &
    Pick<NewRun, 'policy'>
  /** What its work has to pass before it counts as completed; null: nothing. */
  readonly gate: Gate | null
  /** What a program whose input stays open reads first; null for any other, and at a takeover. */
  readonly opening: Uint8Array | null
  /** Whether an earlier backend has stored that the run waits for people. */
  readonly isAsking: boolean
  /** The entry with which another process of the run begins; null for its first process, and at a takeover. */
  readonly begins: Entry | null
  /** How long it has run already, in milliseconds. */
  readonly ranMs: number
  /** As in `Attached`; false for a new run. */
  readonly hasEnded: boolean
  /** What the transcript tells of the questions of its programs. */
  readonly told: Told
}

/** What masks the secrets that a run may print. */
interface Learning {
  readonly reader: Pick<RunReader, 'learn'>
  readonly open: OpenProgram
}

export class RunHolder {
  readonly #deps: HolderDeps
  /** As many as users may have runs. */
  readonly #conductors = new Map<string, HeldRun>()
  /** The same runs, and those of which the conductor is about to start. */
  readonly #readers = new Map<string, Learning>()
  /** What the conductors have told of the questions of programs. */
  readonly #told = new Map<string, Told>()
  #isStopping = false

  constructor(deps: HolderDeps) {
    this.#deps = deps
  }

  /** How many runs this backend holds. */
  get size(): number {
    return this.#conductors.size
  }

  /** Null if this backend does not hold the run. */
  conductorOf(id: string): HeldRun | null {
    return this.#conductors.get(id) ?? null
  }

  /** Adds to the events of a run, if this backend holds it, and unless that was told already. */
  add(id: string, happening: RunHappening): void {
    const run = this.#conductors.get(id)
    if (run?.add && this.#told.get(id)?.isNew(happening) !== false) run.add(happening)
  }

  /** A secret was set. Runs that may print it have it masked from now on. */
  secretSet(set: SetSecret): void {
    for (const { reader, open } of this.#readers.values())
      if (mayShow(set, open.caller.userId, open.row)) reader.learn([set.secret])
  }

  /** Begins to follow a program, with the known secrets masked. If that fails, the call rejects, and the program is the caller's. */
  async hold(holding: Holding): Promise<void> {
    const { held, open, reader } = holding
    // Before the secrets are read: one that is set meanwhile is not missed.
    this.#readers.set(held.id, holding)
    try {
      reader.learn(await this.#deps.provisioner.taskSecrets(open.caller.userId, open.row))
      this.#keep(held, await this.#conduct(holding), holding)
      this.#deps.working(open, !holding.isAsking)
      this.#catchUp(held, holding.told)
    } catch (error) {
      this.#unread(held, holding)
      throw error
    }
  }

  /** The same for a run that follows its program itself. The secrets are known before `begin` is called. */
  async holdOwn(learning: Learning & { readonly held: Held }, begin: () => HeldRun): Promise<void> {
    const { held, open, reader } = learning
    this.#readers.set(held.id, learning)
    try {
      reader.learn(await this.#deps.provisioner.taskSecrets(open.caller.userId, open.row))
      this.#keep(held, begin(), learning)
    } catch (error) {
      this.#unread(held, learning)
      throw error
    }
  }

  #keep(held: Held, run: HeldRun, learning: Learning): void {
    this.#conductors.set(held.id, run)
    void run.done.finally(() => {
      // By now another process of the run may have one.
      if (this.#conductors.get(held.id) === run) this.#conductors.delete(held.id)
      this.#unread(held, learning)
      this.#deps.working(learning.open, false)
      this.#deps.left(held)
    })
    if (this.#isStopping) void run.letGo()
    else void this.#endIfEnded(held, run)
  }

  /** A user may have ended the run before its conductor was known, and found only its row. */
  async #endIfEnded({ id }: Held, conductor: HeldRun): Promise<void> {
    const { repository, log } = this.#deps
    try {
      // If its program has ended by itself meanwhile, this does nothing.
      if ((await repository.endings([id])).get(id)?.endedAt) conductor.terminate()
    } catch (error) {
      log.warn({ sessionId: id, err: error }, 'whether a run has ended while it started could not be looked up')
    }
  }

  /** Programs may have asked, and people answered, while no backend followed the run. */
  #catchUp({ id }: Held, told: Told): void {
    const { dialogs, log } = this.#deps
    const run = this.#conductors.get(id)
    if (!run) return
    this.#told.set(id, told)
    void run.done.finally(() => this.#told.get(id) === told && this.#told.delete(id))
    dialogs.repository
      .ofPrograms(id, PROGRAM_QUESTIONS_MAX)
      .then((rows) => {
        if (this.#conductors.get(id) === run) for (const event of eventsOf(rows)) this.add(id, event)
      })
      .catch((error: unknown) =>
        log.warn({ sessionId: id, err: error }, 'questions of a run could not be added to its events'),
      )
  }

  #unread({ id }: Held, learning: Learning): void {
    if (this.#readers.get(id) === learning) this.#readers.delete(id)
  }

  /** Leaves all runs to the next backend. Resolves when what they printed so far is stored. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all([...this.#conductors.values()].map((conductor) => conductor.letGo()))
  }

  /** Whether the run waits for people; `people` is what its CLI asks, once that is known. */
  #wait({ open, held, live, isAsking }: Holding, people: () => RunPeople | null): RunWait {
    const { repository, clock, questions, asking, working } = this.#deps
    const isWaiting = (): boolean => people()?.isUnanswered === true || questions.has(held.id)
    const waits = (isNow: boolean): void => {
      if (this.#conductors.has(held.id)) working(open, !isNow)
      asking({ open, live }, isNow)
    }
    return new RunWait({ repository, clock, waits }, held, isWaiting, isAsking)
  }

  #people(holding: Holding, writer: TranscriptWriter, wait: RunWait): RunPeople | null {
    const { dialogs, clock, log } = this.#deps
    const { open, held, program, reader, live, run, opening } = holding
    const people = asksPeople(run.policy) ? followed(run)?.people : undefined
    if (!people || !run.policy) return null
    const input = new ProgramInput(program)
    if (opening) input.write(opening)
    const { id: agentId, name: agentName } = open.row
    return new RunPeople(
      { dialogs, clock, log },
      {
        ...{ held, input, reply: people.reply, policy: run.policy, folder: run.cwd },
        steering: (message) => (people.steers ? reader.steering(message) : null),
        untaken: (messageId) => this.#deps.untaken.emit({ runId: held.id, messageId }),
        sending: (id) => writer.append([reader.sending(id, clock.now())]),
        about: () => ({ agentId, agentName, userId: open.caller.userId, personal: live.personal, folder: run.cwd }),
        add: (happening) => addEvent({ reader, writer, live }, happening, clock.now()),
      },
      wait,
    )
  }

  async #conduct(holding: Holding): Promise<Conductor> {
    const { open, held, program, reader, after, live, changes, run, gate, begins, ranMs, hasEnded } = holding
    const { folder, log } = this.#deps
    const { id, generation } = held
    const onFailure = (error: unknown): void =>
      log.error({ sessionId: id, err: error }, 'a transcript cannot be written')
    const writer = await TranscriptWriter.begin(folder, id, { generation, after }, onFailure)
    live.generation = generation
    if (begins) {
      await writer.append([begins])
      live.stored([begins])
    }
    const output = followed(run)
    let people: RunPeople | null = null
    const wait = this.#wait(holding, () => people)
    people = this.#people(holding, writer, wait)
    return new Conductor(this.#deps, {
      open,
      held,
      program,
      reader,
      writer,
      live,
      changes,
      provider: run.provider,
      model: run.model,
      names: { provider: labelOfRun(run), agent: run.agentName },
      timeoutSeconds: run.timeoutSeconds,
      waitsForLimit: run.waitsForLimit,
      meter: new Meter(this.#deps.spending, {
        id,
        userId: open.caller.userId,
        model: run.model,
        maxTurns: output?.limitsTurns === 'counted' ? run.maxTurns : null,
        maxBudgetUsd: output?.limitsBudget ? null : run.maxBudgetUsd,
        spentUsd: run.spentUsd,
      }),
      people,
      gate,
      wait,
      ranMs,
      hasEnded,
      answersInterrupt: output?.answersInterrupt ?? false,
      isQuiet: output?.isQuiet ?? false,
    })
  }
}
