/** Agents, and who may use them. */
import { AgentSettings } from '@slipway/protocol'
import type * as models from '../../../database/generated/client.ts'
import type { Columns } from './columns.ts'

/** Every setting of an agent. */
const SETTINGS = Object.fromEntries(Object.keys(AgentSettings.properties).map((name) => [name, 'recorded'])) as Record<
  keyof AgentSettings,
  'recorded'
>

export const AGENTS = {
  Agent: {
    id: 'ignored',
    name: 'recorded',
    ownerId: 'recorded',
    ...SETTINGS,
    isSystem: 'recorded',
    // The server chooses it, and no answer of the API contains it.
    uid: 'ignored',
    createdAt: 'ignored',
    // Follows from acts that are recorded themselves.
    lentAt: 'ignored',
  } satisfies Columns<models.Agent>,
  AgentTemplate: {
    id: 'ignored',
    name: 'recorded',
    description: 'recorded',
    settings: 'recorded',
    repository: 'recorded',
    setupCommand: 'recorded',
    variables: 'recorded',
    createdAt: 'ignored',
    updatedAt: 'ignored',
  } satisfies Columns<models.AgentTemplate>,
  Share: {
    agentId: 'ignored',
    userId: 'recorded',
    createdAt: 'ignored',
  } satisfies Columns<models.Share>,
  PortLink: {
    id: 'fact',
    agentId: 'fact',
    port: 'fact',
    createdById: 'fact',
    via: 'ignored',
    viaId: 'ignored',
    secretHash: 'secret',
    createdAt: 'ignored',
    // No longer than a week; each use is an event of its own.
    expiresAt: 'ignored',
  } satisfies Columns<models.PortLink>,
} as const
