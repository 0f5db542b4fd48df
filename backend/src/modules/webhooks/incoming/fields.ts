/** The fields of incoming webhooks: as requests name them, as tasks name them, and as the API answers them. */
import type { CreateCodingSession, CreateIncomingHook, IncomingHook, UpdateIncomingHook } from '@slipway/protocol'
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
}

/** The fields that a request names. */
const given = (body: UpdateIncomingHook): Partial<IncomingFields> => {
  const fields: { [Name in keyof IncomingFields]?: IncomingFields[Name] | undefined } = {
    name: body.name?.trim(),
    source: body.source,
    events: body.events,
    enabled: body.enabled,
    provider: body.provider,
    prompt: body.prompt,
    cwd: body.cwd,
    model: body.model,
    timeoutSeconds: body.timeout_seconds,
    maxTurns: body.max_turns,
    maxBudgetUsd: body.max_budget_usd,
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

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
  provider: before.provider,
  prompt: before.prompt,
  cwd: before.cwd,
  model: before.model,
  timeoutSeconds: before.timeoutSeconds,
  maxTurns: before.maxTurns,
  maxBudgetUsd: before.maxBudgetUsd,
  ...given(body),
})

/** The task of a call. It waits in line, because the caller does not wait for an answer. */
export const taskOf = (fields: IncomingFields, prompt: string, agent: string | undefined): CreateCodingSession => ({
  prompt,
  queue: true,
  ...(agent !== undefined && { agent }),
  ...(fields.provider !== null && { provider: fields.provider }),
  ...(fields.cwd !== null && { cwd: fields.cwd }),
  ...(fields.model !== null && { model: fields.model }),
  ...(fields.timeoutSeconds !== null && { timeout_seconds: fields.timeoutSeconds }),
  ...(fields.maxTurns !== null && { max_turns: fields.maxTurns }),
  ...(fields.maxBudgetUsd !== null && { max_budget_usd: fields.maxBudgetUsd }),
})

/** As the API answers it. */
export const present = (row: IncomingRow): IncomingHook => ({
  id: row.id,
  name: row.name,
  source: row.source,
  events: row.events,
  agent: row.agent.name,
  prompt: row.prompt,
  enabled: row.enabled,
  disabledBecause: row.disabledBecause,
  provider: row.provider,
  cwd: row.cwd,
  model: row.model,
  timeoutSeconds: row.timeoutSeconds,
  maxTurns: row.maxTurns,
  maxBudgetUsd: row.maxBudgetUsd,
  lastCall: row.lastAt && { at: row.lastAt.toISOString(), taskId: row.lastRunId, refused: row.lastRefused },
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})
