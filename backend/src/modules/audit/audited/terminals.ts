/** Terminals, their recordings and the links to them. */
import type * as models from '../../../database/generated/client.ts'
import type { Columns } from './columns.ts'

export const TERMINALS = {
  // Its start, each reconnection and its end are events.
  TerminalSession: {
    id: 'fact',
    agentId: 'fact',
    userId: 'fact',
    mode: 'fact',
    tab: 'fact',
    startedAt: 'ignored',
    endedAt: 'ignored',
    endReason: 'fact',
    exitCode: 'fact',
    leader: 'ignored',
    via: 'fact',
    viaId: 'fact',
    // Follows from the credentials, whose setting and removal are events.
    personal: 'ignored',
    cliSessionId: 'fact',
    task: 'ignored',
  } satisfies Columns<models.TerminalSession>,
  // Its creation, each use and its revocation are events.
  TerminalLink: {
    id: 'fact',
    sessionId: 'fact',
    createdById: 'fact',
    secretHash: 'secret',
    access: 'fact',
    audience: 'fact',
    createdAt: 'ignored',
    // No longer than a week; each use is an event of its own.
    expiresAt: 'ignored',
  } satisfies Columns<models.TerminalLink>,
  Recording: {
    id: 'ignored',
    agentId: 'ignored',
    userId: 'ignored',
    email: 'ignored',
    mode: 'ignored',
    startedAt: 'ignored',
    endedAt: 'ignored',
    durationMs: 'ignored',
    bytes: 'ignored',
    state: 'ignored',
    input: 'ignored',
    shared: 'recorded',
  } satisfies Columns<models.Recording>,
} as const
