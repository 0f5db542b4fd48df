/** How long files are kept that grow without end, and how much of them. */
import { DAY_MS } from './clock.ts'

export interface Keeping {
  /** Days after the end of what a file is about; null: for ever. */
  readonly days: number | null
  /** Size of all files together, in bytes. */
  readonly totalBytes: number
}

/** When age ends a file; null: it is in progress, or does not expire. */
export const expiryOf = (
  { endedAt }: { readonly endedAt: Date | null },
  { days }: Pick<Keeping, 'days'>,
): Date | null => (endedAt === null || days === null ? null : new Date(endedAt.getTime() + days * DAY_MS))
