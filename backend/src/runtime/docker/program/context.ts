/** What the programs of one container need from the runtime. */
import type Docker from 'dockerode'
import type { RunOptions, RunResult } from '../../port.ts'
import type { ProgramExit } from '../../program.ts'
import type { ExecExits } from './exec-exits.ts'

export interface ExecContext {
  readonly docker: Docker
  readonly containerId: string
  readonly exits: ExecExits
  run(options: RunOptions): Promise<RunResult>
  /** The cause of the end of a program with this exit code. `kills` is the memory-kill counter at its start. */
  causeOf(exitCode: number | null, kills: number): Promise<ProgramExit['cause']>
  hangUp(leader: string): Promise<void>
}

/** In the engine's format. */
export const environment = (env: Readonly<Record<string, string>>): string[] =>
  Object.entries(env).map(([name, value]) => `${name}=${value}`)
