/** The folder in which a run works: its own, or a worktree that it gets. */
import type { WorktreeMode } from '@slipway/protocol'
import type { Held, RunRow } from '../repository.ts'
import type { Plan } from './plan.ts'

/** A run that is about to start, as those see it who give it a folder. */
export type PlacedRun = Pick<RunRow, 'id' | 'userId' | 'prompt' | 'cwd' | 'resumed'> & {
  readonly agentId: string
  readonly worktree: WorktreeMode | null
}

/** What gives folders to runs. */
export interface RunPlaces {
  /** The folder in which the run works. Throws why it cannot have one. */
  prepare(run: PlacedRun, containerId: string): Promise<string>
  /** Stores that it works there. */
  moved(held: Held, folder: string): Promise<void>
  /** A run has ended, or did not start: what it had may be free. Returns at once. */
  look(): void
}

/** The plan of a run with the folder in which it works. Call it before its program starts, once its row is stored. */
export const placed = async (places: RunPlaces, plan: Plan, held: Held, containerId: string): Promise<Plan> => {
  const { run, options } = plan
  const cwd = await places.prepare({ ...run, worktree: run.worktree ?? null }, containerId)
  if (cwd === run.cwd) return plan
  await places.moved(held, cwd)
  return { ...plan, run: { ...run, cwd }, options: { ...options, folder: cwd } }
}
