import { ApiError } from '@/api/transport/errors.ts'

/** Refusals that trying again does not change: what was discarded does not fit any more. */
const LASTING: readonly string[] = ['CHANGES_CONFLICT', 'CHANGES_GONE', 'FILE_REFUSED']

/** The discards after the undo of one of them has failed. One that does not fit any more lets the others go before. */
export const afterFailedUndo = <Discard>(
  discards: readonly Discard[],
  failed: Discard,
  cause: unknown,
): readonly Discard[] =>
  cause instanceof ApiError && LASTING.includes(cause.code)
    ? [failed, ...discards.filter((discard) => discard !== failed)]
    : discards
