/** The fields of incoming webhooks: as requests name them, as tasks name them, and as the API answers them. */
import type { CreateIncomingHook, IncomingHook, UpdateIncomingHook } from '@slipway/protocol'
import { defined, namedTask, storedTask } from '../../runs/stored-task.ts'
import type { IncomingFields, IncomingRow } from './repository.ts'

const DEFAULTS = {
  events: [],
  enabled: true,
  provider: null,
  cwd: null,
  model: null,
  timeoutSeconds: null,
  maxTurns: null,
  maxBudgetUsd: null,
  worktree: null,
  validate: null,
  gateRepairs: null,
}

/** The fields that a request names. */
const given = (body: UpdateIncomingHook): Partial<IncomingFields> =>
  defined<IncomingFields>({
    name: body.name?.trim(),
    source: body.source,
    events: body.events,
    enabled: body.enabled,
    ...namedTask(body),
  })

/** The fields of a new one. */
export const fieldsOf = ({ name, source, prompt, ...further }: CreateIncomingHook): IncomingFields => ({
  ...DEFAULTS,
  ...given(further),
  name: name.trim(),
  source,
  prompt,
})

/** The fields after a change. */
export const changed = (before: IncomingFields, body: UpdateIncomingHook): IncomingFields => ({
  name: before.name,
  source: before.source,
  events: before.events,
  enabled: before.enabled,
  ...storedTask(before),
  ...given(body),
})

/** As the API answers it. `address` is where it is called, without a secret. */
export const present = (row: IncomingRow, address: string): IncomingHook => ({
  id: row.id,
  name: row.name,
  source: row.source,
  events: row.events,
  agent: row.agent.name,
  enabled: row.enabled,
  disabledBecause: row.disabledBecause,
  ...storedTask(row),
  url: row.source === 'url' ? null : address,
  lastCall: row.lastAt && { at: row.lastAt.toISOString(), taskId: row.lastRunId, refused: row.lastRefused },
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})
