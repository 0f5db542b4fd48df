/** An agent as the API shows it. */
import { type Agent, type AgentDisk, type Relation, settingsOf } from '@slipway/protocol'
import type { ShownActivity } from './state/activity.ts'
import type { Snapshot } from './state/board.ts'
import type { AgentRow } from './rows.ts'

/** `wantedFingerprint` is the fingerprint of a container created from the current settings. */
export const toAgent = (
  row: AgentRow,
  relation: Relation,
  snapshot: Snapshot,
  wantedFingerprint: string,
  disk: AgentDisk | null,
  activity: ShownActivity,
): Agent => ({
  id: row.id,
  name: row.name,
  ...settingsOf(row),
  state: snapshot.state,
  reason: snapshot.reason,
  stateSince: snapshot.since.toISOString(),
  restartNeeded: snapshot.state === 'running' && snapshot.container?.fingerprint !== wantedFingerprint,
  owner: row.ownerId === null ? null : { id: row.ownerId, email: row.ownerEmail ?? '' },
  relation,
  isSystem: row.isSystem,
  ...activity,
  ...(disk ? { disk } : {}),
  createdAt: row.createdAt.toISOString(),
})
