/**
 * The programs of one engine. A holder keeps them if the container can run one. Otherwise they are Docker's own execs.
 */
import type Docker from 'dockerode'
import { RuntimeError } from '../../errors.ts'
import type { RunOptions, RunResult } from '../../port.ts'
import type { Attached, Offsets, Program, ProgramExit, ProgramSpec } from '../../program.ts'
import { runBeside } from './beside.ts'
import type { ExecContext } from './context.ts'
import { startOnPipes } from './direct/pipes.ts'
import { startOnTerminal } from './direct/terminal.ts'
import { toRuntimeError, typed } from '../errors.ts'
import { ExecExits } from './exec-exits.ts'
import { hangUp, type HangUpWays } from './hang-up.ts'
import type { HolderBinary } from '../held/binary.ts'
import { attachHeld, type HeldContext, listHeld, startHeld } from '../held/open.ts'
import { killsIn, MEMORY_COUNTERS } from '../facts/memory-kills.ts'
import { OwedHangUps } from './owed-hang-ups.ts'

/** Exit code of a process that SIGKILL ended: 128 + 9. */
export const KILLED = 137
/** How long the engine may take to note the end of a container, after its programs have ended, in milliseconds. */
const NOTED_WITHIN_MS = 5_000

interface Parts {
  readonly docker: Docker
  /** Null: programs have no holder. */
  readonly holder: HolderBinary | null
  run(containerId: string, options: RunOptions): Promise<RunResult>
  /** Whether a memory kill explains that the container ended at that time, in milliseconds since 1970. */
  explains(containerId: string, endedAt: number): boolean
}

export class Programs {
  readonly #parts: Parts
  readonly #exits = new ExecExits()
  readonly #owed = new OwedHangUps((containerId, leader) => this.hangUp(containerId, leader))

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The engine is back. Missed ends are asked for, and owed hang-ups are done. */
  connected(): void {
    void this.#exits.recheck((execId) => this.#exitCodeOf(execId))
    void this.#owed.repay()
  }

  execEnded(execId: string, exitCode: number): void {
    this.#exits.ended(execId, exitCode)
  }

  start(containerId: string, spec: ProgramSpec): Promise<Program> {
    return typed(async () => {
      const context = this.#contextOf(containerId)
      const direct = (): Promise<Program> =>
        spec.io.kind === 'terminal' ? startOnTerminal(context, spec, spec.io) : startOnPipes(context, spec, spec.io)
      const held = this.#held(context)
      return held ? await startHeld(held, spec).catch(whereUnsupported(direct)) : direct()
    })
  }

  held(containerId: string): Promise<string[]> {
    return typed(async () => {
      const held = this.#held(this.#contextOf(containerId))
      return held ? listHeld(held).catch(whereUnsupported(() => Promise.resolve([]))) : []
    })
  }

  attach(containerId: string, session: string, from: Offsets): Promise<Attached | null> {
    return typed(async () => {
      const held = this.#held(this.#contextOf(containerId))
      return held ? attachHeld(held, session, from) : null
    })
  }

  /** If the engine is away, the hang-up is repeated when it is back. */
  async hangUp(containerId: string, leader: string): Promise<void> {
    try {
      const { docker, run } = this.#parts
      const ways: HangUpWays = {
        inside: async (script) => (await run(containerId, { ...script, maxOutputBytes: 1024 })).exitCode,
        beside: (script) => runBeside(docker, containerId, script),
      }
      await hangUp(ways, leader)
    } catch (error) {
      if (error instanceof RuntimeError && error.code === 'engine_unavailable') this.#owed.add(containerId, leader)
      throw error
    }
  }

  #contextOf(containerId: string): ExecContext {
    const { docker, run } = this.#parts
    return {
      docker,
      containerId,
      exits: this.#exits,
      run: (options) => run(containerId, options),
      causeOf: (exitCode, kills) => this.#causeOf(containerId, exitCode, kills),
      hangUp: (leader) => this.hangUp(containerId, leader),
    }
  }

  #held(context: ExecContext): HeldContext | null {
    const { holder: binary } = this.#parts
    return binary && { ...context, binary }
  }

  /** Null while it runs, or if the engine does not know it any more. */
  async #exitCodeOf(execId: string): Promise<number | null> {
    const { Running, ExitCode } = await this.#parts.docker.getExec(execId).inspect()
    return Running ? null : ExitCode
  }

  async #causeOf(containerId: string, exitCode: number | null, kills: number): Promise<ProgramExit['cause']> {
    if (exitCode !== null && exitCode !== KILLED) return 'exited'
    try {
      const ended = await this.#causeOfEnd(containerId)
      if (ended) return ended
      const count = await this.#memoryKills(containerId)
      if (count !== null) return count > kills ? 'out_of_memory' : 'exited'
      // A container that is ending loses its counters before the engine reports its end.
      const abortSignal = AbortSignal.timeout(NOTED_WITHIN_MS)
      const container = this.#parts.docker.getContainer(containerId)
      await container.wait({ condition: 'not-running', abortSignal }).catch(() => undefined)
      return (await this.#causeOfEnd(containerId)) ?? 'exited'
    } catch (error) {
      const { code } = toRuntimeError(error)
      return code === 'engine_unavailable' ? code : 'container_stopped'
    }
  }

  /** Null while the container runs. */
  async #causeOfEnd(containerId: string): Promise<ProgramExit['cause'] | null> {
    const { docker, explains } = this.#parts
    const { State } = await docker.getContainer(containerId).inspect()
    if (State.Running) return null
    const forMemory = State.OOMKilled || explains(containerId, Date.parse(State.FinishedAt))
    // The flag alone may come from a child that was killed long ago.
    return State.ExitCode === KILLED && forMemory ? 'out_of_memory' : 'container_stopped'
  }

  /** The container's own count of memory kills; null if it cannot be read. */
  async #memoryKills(containerId: string): Promise<number | null> {
    const argv = ['cat', ...MEMORY_COUNTERS]
    try {
      const { stdout } = await this.#parts.run(containerId, { argv, timeoutMs: 15_000, maxOutputBytes: 4096 })
      return killsIn(stdout.toString('latin1'))
    } catch (error) {
      if (toRuntimeError(error).code === 'engine_unavailable') throw error
      return null
    }
  }
}

/** Falls back to `instead` if a container cannot run a holder. */
const whereUnsupported =
  <T>(instead: () => Promise<T>) =>
  (error: unknown): Promise<T> => {
    if (error instanceof RuntimeError && error.code === 'unsupported') return instead()
    throw error
  }
