/** Starts the module's programs in an agent. One that a caller asks for counts as one of the agent's transfers. */
import { AppError } from '../../lib/errors.ts'
import { asAppError } from '../../runtime/app-error.ts'
import type { ContainerRuntime, ProgramStream } from '../../runtime/port.ts'
import type { Arrival } from '../access/loss.ts'
import { agentEvent } from '../agents/recorded.ts'
import type { AgentRow } from '../agents/rows.ts'
import type { AgentService, Found } from '../agents/service.ts'
import type { Audit, Facts } from '../audit/audit.ts'
import { actorOf } from '../identity/caller.ts'
import { failureOf } from './program.ts'
import type { Transfer, Transfers } from './transfers.ts'

interface Parts {
  readonly runtime: Pick<ContainerRuntime, 'run' | 'stream'>
  readonly agents: Pick<AgentService, 'snapshot'>
  readonly transfers: Transfers
  readonly audit: Pick<Audit, 'recordNow'>
}

/** Who asks, and in which agent. */
export interface Asked {
  readonly found: Found
  readonly arrival: Arrival
}

/** What the audit log says of a program, written before it runs. */
export interface Began {
  readonly action:
    | 'file.downloaded'
    | 'file.uploaded'
    | 'file.moved'
    | 'file.deleted'
    | 'file.searched'
    | 'folder.created'
  readonly facts: Facts
}

/** A program that runs. Call `end` when it is no longer needed; calling it again does nothing. */
export interface Running {
  readonly program: ProgramStream
  end(): void
}

/** Bounds of a program that runs to its end. */
export interface RunBounds {
  /** Most bytes of its output. */
  readonly maxOutputBytes: number
  /** Longest time, in milliseconds. */
  readonly timeoutMs: number
}

export class FilePrograms {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Starts a program whose output is read as it arrives. It ends when the caller loses the right to it. */
  async start({ found, arrival }: Asked, argv: readonly string[], began: Began | null): Promise<Running> {
    const { runtime, transfers } = this.#parts
    const runningId = this.#runningId(found.row)
    const closing = new AbortController()
    const transfer: Transfer = { ...found, close: () => closing.abort() }
    transfers.begin(transfer, arrival)
    const program = await this.#record(found, began)
      .then(() => runtime.stream(runningId, argv))
      .catch((error: unknown) => {
        transfers.end(transfer)
        throw asAppError(error)
      })
    // The caller may have lost the right while the engine started the program.
    if (closing.signal.aborted) program.close()
    closing.signal.addEventListener('abort', () => program.close())
    return {
      program,
      end: () => {
        transfer.close()
        transfers.end(transfer)
      },
    }
  }

  /** Runs a program to its end, and returns its output. Throws what its exit code means. */
  async run({ found, arrival }: Asked, argv: string[], began: Began | null, bounds: RunBounds): Promise<Buffer> {
    const { runtime, transfers } = this.#parts
    const runningId = this.#runningId(found.row)
    const transfer: Transfer = { ...found, close: () => undefined }
    transfers.begin(transfer, arrival)
    try {
      await this.#record(found, began)
      const { exitCode, stdout } = await runtime.run(runningId, { argv, ...bounds })
      if (exitCode !== 0) throw failureOf(exitCode)
      return stdout
    } catch (error) {
      throw asAppError(error)
    } finally {
      transfers.end(transfer)
    }
  }

  /** Runs a program that no caller waits for. It counts as none of the transfers. Throws what its exit code means. */
  async runBeside(row: AgentRow, argv: string[], bounds: RunBounds): Promise<void> {
    const { exitCode } = await this.#parts.runtime.run(this.#runningId(row), { argv, ...bounds })
    if (exitCode !== 0) throw failureOf(exitCode)
  }

  #runningId(row: AgentRow): string {
    const { runningId } = this.#parts.agents.snapshot(row)
    if (runningId === null) throw new AppError('WRONG_STATE', 'The agent is not running. Start it first.')
    return runningId
  }

  async #record(found: Found, began: Began | null): Promise<void> {
    if (began === null) return
    const { row, caller } = found
    await this.#parts.audit.recordNow({
      actor: actorOf(caller),
      action: began.action,
      ...agentEvent(row, began.facts),
    })
  }
}
