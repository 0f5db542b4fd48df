/** What the programs of one container need from the runtime around them. */
import type Docker from 'dockerode'
import type { ProgramExit, RunOptions, RunResult } from '../../port.ts'
import type { ExecExits } from './exec-exits.ts'

export interface ExecContext {
  readonly docker: Docker
  readonly containerId: string
  readonly exits: ExecExits
  run(options: RunOptions): Promise<RunResult>
  /** Why the program with this exit code ended; `kills` is the memory-kill counter at its start. */
  causeOf(exitCode: number | null, kills: number): Promise<ProgramExit['cause']>
  hangUp(leader: string): Promise<void>
}

/** As the engine takes it. */
export const environment = (env: Readonly<Record<string, string>>): string[] =>
  Object.entries(env).map(([name, value]) => `${name}=${value}`)
