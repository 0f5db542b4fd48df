/** The end of a run as its row has it. */
import type { ChangeCounts, ModelUsage } from '@slipway/protocol'
import type { RunEnd } from './end.ts'
import type { RunCost, Share } from './ledger/shares.ts'
import { storedTotals } from './ledger/totals-repository.ts'

/** What the row of a run says once its changes are collected. */
export type Collected = ChangeCounts & { readonly startTree: null }

/** What a run has used. */
export interface Used extends RunCost {
  /** What the ledger gets. */
  readonly usage: readonly Share[]
  /** As in `Verdict`. */
  readonly totals: readonly ModelUsage[]
}

/** What is stored at the end of a run. */
export interface StoredRunEnd extends RunEnd, Used, Partial<Collected> {
  readonly result: string | null
  readonly cliSessionId: string | null
  readonly lastSeq: number
}

/** The database stores every character except NUL, and a CLI may print it. */
const storable = (text: string | null): string | null => text?.replaceAll('\0', '\uFFFD') ?? null

/** The columns of a run that has ended now. */
export const storedEnd = ({ totals = [], ...end }: RunEnd & Partial<Omit<StoredRunEnd, 'usage'>>) => ({
  ...end,
  ...storedTotals(totals),
  error: storable(end.error),
  ...(end.result === undefined ? {} : { result: storable(end.result) }),
  continuesAt: null,
  endedAt: new Date(),
})
