/** Programs without a terminal: bounds their number for each user, and ends each if its right is lost. */
import type { AppError } from '../../lib/errors.ts'
import type { Signal } from '../../lib/emitter.ts'
import type { Arrival, Loss } from '../access/loss.ts'
import { Open } from '../access/open.ts'
import type { Caller } from '../identity/caller.ts'
import { type Attended, type Claim, type GrantedClaim, mayBePersonal } from './claim.ts'
import { type Ending, endingOfLoss } from './ending.ts'

/** How many programs of a kind one user may have. */
export interface ProgramLimit {
  readonly perUser: number
  /** The answer to a user who has as many. */
  refuse(): AppError
}

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
  end(ending: Ending): void
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

  /** Throws the limit's refusal. Check `ending()` afterwards: the program may have to end before it starts. */
  admit(claim: Claim, arrival: Arrival): OpenProgram {
    const own = [...this.#runs.values()].filter(({ caller }) => caller.userId === claim.caller.userId)
    if (own.length >= this.#limit.perUser) throw this.#limit.refuse()
    return this.adopt(claim, arrival)
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
    const run: Entry = { ...claim, personal, ended: promise, ending: () => ending, leader: null, end }
    const lost = this.#open.enter(run, (loss) => end(endingOfLoss(loss)), arrival)
    const before = this.#stopping ?? (lost && endingOfLoss(lost))
    if (before) end(before)
    this.#runs.set(run.sessionId, run)
    return run
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
