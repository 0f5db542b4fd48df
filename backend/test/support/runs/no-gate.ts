/** What conductors of runs without a gate get of it. */
import type { ConductDeps } from '../../../src/modules/runs/conduct/conducted.ts'

export const NO_GATE: Pick<ConductDeps, 'gates' | 'repairs' | 'repaired'> = {
  gates: { judge: () => Promise.reject(new Error('the run has no gate')) },
  repairs: { repair: () => Promise.resolve(false) },
  repaired: () => undefined,
}
