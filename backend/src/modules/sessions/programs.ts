/** Programs without a terminal: bounds their number for each user, and ends each if its right is lost. */
import type { AppError } from '../../lib/errors.ts'
import type { Signal } from '../../lib/emitter.ts'
import type { Arrival, Loss } from '../access/loss.ts'
import { Open } from '../access/open.ts'
import type { Caller } from '../identity/caller.ts'
import { type Attended, type Claim, type GrantedClaim, mayBePersonal } from './claim.ts'
import { type Ending, endingOfLoss } from './ending.ts'

/** The programs of a kind that there are when another one is asked for. */
export interface ProgramCounts {
  readonly ofUser: number
  readonly inAgent: number
  readonly all: number
}

/** How many programs of a kind there may be: the refusal of another one, or null. */
export type ProgramLimit = (counts: ProgramCounts) => AppError | null

/** A program that starts, runs or is being ended. */
export interface OpenProgram extends GrantedClaim {
  /** Settles when a reason from outside ends it. */
  readonly ended: Promise<Ending>
  /** The same without waiting; null while it may run. */
  readonly ending: () => Ending | null
  /** Its first process; null if not known yet. */
  leader: string | null
}

interface Entry extends OpenProgram {
  /** Whether its end is decided and stored. Its last processes go. */
  isOver: boolean
  end(ending: Ending): void
}

/** A program that counts and is not one of {@link Programs}: it is to be started, or is not taken over yet. */
export interface Counted {
  readonly caller: Pick<Caller, 'userId'>
  readonly row: { readonly id: string }
}

/** The programs of one kind. */
export class Programs {
  readonly #runs = new Map<string, Entry>()
  readonly #open: Open<Entry>
  readonly #limit: ProgramLimit
  #stopping: Ending | null = null
  #freed: () => void = () => undefined

  constructor(losses: Pick<Signal<Loss>, 'on' | 'since'>, limit: ProgramLimit) {
    this.#open = new Open(losses)
    this.#limit = limit
  }

  /** Call it before looking up anything about a caller; see {@link Open}. */
  arrive(): Arrival {
    return this.#open.arrive()
  }

  /**
   * Throws the limit's refusal. Check `ending()` afterwards: the program may have to end before it starts. `others` are
   * further programs that count.
   */
  admit(claim: Claim, arrival: Arrival, others: readonly Counted[] = []): OpenProgram {
    const refusal = this.refusal(claim.caller.userId, claim.row.id, others)
    if (refusal) throw refusal
    return this.adopt(claim, arrival)
  }

  /** The sessions of the programs that start, run or are being ended. */
  sessions(): string[] {
    return [...this.#runs.keys()]
  }

  /** The limit's refusal of another program of this user in this agent, or null. `others` are further ones that count. */
  refusal(userId: string, agentId: string, others: readonly Counted[] = []): AppError | null {
    const all = [...[...this.#runs.values()].filter(({ isOver }) => !isOver), ...others]
    const ofUser = all.filter(({ caller }) => caller.userId === userId).length
    const inAgent = all.filter(({ row }) => row.id === agentId).length
    return this.#limit({ ofUser, inAgent, all: all.length })
  }

  /** The same for a program that already runs. It counts among its user's programs, but is never refused. */
  adopt(claim: Claim, arrival: Arrival): OpenProgram {
    let ending: Ending | null = null
    const { promise, resolve } = Promise.withResolvers<Ending>()
    const end = (because: Ending): void => {
      ending ??= because
      resolve(ending)
    }
    const personal = mayBePersonal(claim)
    const run: Entry = { ...claim, personal, ended: promise, ending: () => ending, leader: null, isOver: false, end }
    const lost = this.#open.enter(run, (loss) => end(endingOfLoss(loss)), arrival)
    const before = this.#stopping ?? (lost && endingOfLoss(lost))
    if (before) end(before)
    this.#runs.set(run.sessionId, run)
    return run
  }

  /** Its end is stored, so it counts for no limit any more. */
  over({ sessionId }: OpenProgram): void {
    const run = this.#runs.get(sessionId)
    if (run) run.isOver = true
  }

  /** Call it when none of its processes is left. */
  release({ sessionId }: OpenProgram): void {
    const run = this.#runs.get(sessionId)
    if (run) this.#open.leave(run)
    this.#runs.delete(sessionId)
    this.#freed()
  }

  /** The users whose programs run or are being ended. */
  callers(): Caller[] {
    return [...this.#runs.values()].map(({ caller }) => caller)
  }

  /** The programs that account for processes: those that run, and those being ended. */
  attended(agentId: string): Attended[] {
    return [...this.#runs.values()].filter(({ row }) => row.id === agentId)
  }

  /** Resolves when every program in this agent that was told to end has no process left. */
  async left(agentId: string): Promise<void> {
    const isLeaving = ({ row, ending }: OpenProgram): boolean => row.id === agentId && ending() !== null
    while ([...this.#runs.values()].some(isLeaving)) await this.#oneFreed()
  }

  /** Ends all programs and waits until none of their processes is left. */
  async stop(ending: Ending): Promise<void> {
    this.#stopping = ending
    for (const { end } of [...this.#runs.values()]) end(ending)
    while (this.#runs.size > 0) await this.#oneFreed()
  }

  #oneFreed(): Promise<void> {
    return new Promise((resolve) => {
      const others = this.#freed
      this.#freed = () => {
        others()
        resolve()
      }
    })
  }
}
