/** The policies with which a CLI asks people. */
import type { RunPolicy } from '@slipway/protocol'
import type { HeadlessOutput } from '../../providers/headless/headless.ts'
import { outputOfRun, type ProviderOfRun } from '../../providers/task-provider.ts'

export const asksPeople = (policy: RunPolicy | null | undefined): boolean => policy === 'ask' || policy === 'tiers'

/** How the output of a run is followed; null if this version does not know its provider. */
export const followed = (run: ProviderOfRun & { readonly policy?: RunPolicy | null }): HeadlessOutput | null =>
  outputOfRun(run, asksPeople(run.policy))
