/** What becomes known of a run together with a change of its row, or not at all. */
import type { Prisma } from '../../../database/generated/client.ts'

/** It has ended, it waits for a usage limit to end, or it begins to wait for people. */
export type RunNewsKind = 'task.ended' | 'task.waiting' | 'task.asks'

/** Stores news of runs within the transaction of the change, so that a crash after it loses none. */
export interface RunOutbox {
  store(
    tx: Prisma.TransactionClient,
    run: { readonly id: string; readonly userId: string },
    kind: RunNewsKind,
  ): Promise<void>
}

export const NO_OUTBOX: RunOutbox = { store: () => Promise.resolve() }
