/** Agents, their terminals, and events about them. */
import { newAgent } from '../../support/people/team.ts'
import type { Scene } from '../scene/scene.ts'
import {
  connectorRows,
  credential,
  ownAgent,
  type Row,
  search,
  unknownToken,
  variable,
  worktreeSettings,
} from './row.ts'

/** A shared recording. Each caller gets one of its own. */
const recorded = { target: (scene: Scene) => scene.recording() } as const

/** An open terminal with a link to it. Each caller gets one of its own. */
const live = { target: (scene: Scene) => scene.terminal() } as const

/** An agent with a worktree that is in use. Each caller gets one of its own. */
const inItsWorktree = { target: (scene: Scene) => scene.agent() } as const

/** A template of agents. Each caller gets one of its own. */
const template = { target: (scene: Scene) => scene.agentTemplate() } as const
const agentTemplate = () => ({
  ...{ description: '', settings: { runtime: 'bash' }, repository: null, setupCommand: 'id', variables: [] },
})

/** An agent that waits for a user, and one whose preparation was cancelled. Each caller gets one of its own. */
const prepared = { target: (scene: Scene) => scene.prepared('confirming') } as const
const cancelled = { target: (scene: Scene) => scene.prepared('cancelled') } as const

export const AGENT_ROWS: readonly Row[] = [
  ['GET /api/agents', 'agents:read', [401, 200, 200, 200, 200]],
  ['GET /api/agents/options', 'agents:read', [401, 200, 200, 200, 200]],
  [
    'POST /api/agents',
    'agents:write',
    [401, 201, 201, 201, 201],
    { query: 'wait=true', body: (scene) => newAgent(scene.newName()) },
  ],
  ['GET /api/agent-templates', 'agents:read', [401, 200, 200, 200, 200]],
  ['PUT /api/platform/agent-templates/:name', 'none', [401, 403, 403, 403, 200], { ...template, body: agentTemplate }],
  ['DELETE /api/platform/agent-templates/:name', 'none', [401, 403, 403, 403, 204], template],
  ['GET /api/agents/:name', 'agents:read', [401, 404, 200, 200, 200]],
  ['GET /api/agents/:name/preparation', 'agents:read', [401, 404, 200, 200, 200]],
  ['POST /api/agents/:name/preparation/cancel', 'agents:write terminal', [401, 404, 403, 200, 200], prepared],
  [
    'POST /api/agents/:name/preparation/confirm',
    'agents:write terminal',
    [401, 404, 403, 200, 200],
    { ...prepared, body: () => ({ image: false, containerEnv: true, postCreateCommand: true }) },
  ],
  ['POST /api/agents/:name/preparation/retry', 'agents:write terminal', [401, 404, 403, 200, 200], cancelled],
  ['PATCH /api/agents/:name', 'agents:write', [401, 404, 403, 200, 200], { body: () => ({ model: 'opus' }) }],
  ['DELETE /api/agents/:name', 'agents:write', [401, 404, 403, 204, 204], ownAgent],
  ['POST /api/agents/:name/start', 'agents:write', [401, 404, 202, 202, 202], { query: 'wait=true' }],
  ['POST /api/agents/:name/stop', 'agents:write', [401, 404, 202, 202, 202], { query: 'wait=true', ...ownAgent }],
  ['POST /api/agents/:name/restart', 'agents:write', [401, 404, 202, 202, 202], { query: 'wait=true', ...ownAgent }],
  ['GET /api/agents/:name/logs', 'agents:read', [401, 404, 200, 200, 200]],
  ['GET /api/agents/:name/logs/follow', 'agents:read', [401, 404, 200, 200, 200], { endless: true }],
  ['GET /api/agents/:name/stats', 'agents:read', [401, 404, 200, 200, 200]],
  ['GET /api/agents/:name/stats/history', 'agents:read', [401, 404, 200, 200, 200]],
  ['GET /api/agents/:name/shown', 'agents:read', [401, 404, 200, 200, 200]],
  ['GET /api/agents/:name/processes', 'agents:read', [401, 404, 200, 200, 200]],
  ['DELETE /api/agents/:name/processes/:pid', 'agents:write', [401, 404, 204, 204, 204]],
  // The engine of these tests has no programs.
  ['GET /api/agents/:name/ports', 'agents:read', [401, 404, 'WRONG_STATE', 'WRONG_STATE', 'WRONG_STATE']],
  ['POST /api/agents/:name/ports/:port/tickets', 'terminal', [401, 404, 201, 201, 201], { body: () => ({}) }],
  // A link lets in people without access to the agent.
  ['GET /api/agents/:name/port-links', 'terminal', [401, 404, 403, 200, 200]],
  ['POST /api/agents/:name/ports/:port/links', 'terminal', [401, 404, 403, 201, 201], { body: () => ({}) }],
  [
    'DELETE /api/agents/:name/port-links/:portLinkId',
    'terminal',
    [401, 404, 403, 204, 204],
    { target: (scene) => scene.withPortLink() },
  ],
  // It asks for a link, and not for a user.
  ['POST /api/port-links/open', 'public', [404, 404, 404, 404, 404], { body: () => ({ secret: 'slo_of-the-walk' }) }],
  ['GET /api/agents/:name/shares', 'agents:write', [401, 404, 403, 200, 200]],
  [
    'POST /api/agents/:name/shares',
    'agents:write terminal',
    [401, 404, 403, 201, 201],
    { body: ({ world }) => ({ email: world.sharee.email }) },
  ],
  ['DELETE /api/agents/:name/shares/:userId', 'agents:write', [401, 404, 403, 204, 204], ownAgent],
  ['POST /api/agents/:name/trust', 'none', [401, 404, 403, 'WRONG_STATE', 403]],
  ['GET /api/agents/:name/tools', 'none', [401, 404, 403, 200, 403]],
  ['PUT /api/agents/:name/tools', 'none', [401, 404, 403, 'VALIDATION', 403], unknownToken],
  ['DELETE /api/agents/:name/tools', 'none', [401, 404, 403, 204, 403]],
  ['GET /api/agents/:name/worktrees', 'agents:read', [401, 404, 200, 200, 200]],
  [
    'DELETE /api/agents/:name/worktrees/:worktree',
    'terminal',
    [401, 404, 'WORKTREE_IN_USE', 'WORKTREE_IN_USE', 'WORKTREE_IN_USE'],
    inItsWorktree,
  ],
  [
    'POST /api/agents/:name/worktrees/:worktree/take-back',
    'terminal',
    [401, 404, 'WORKTREE_IN_USE', 'WORKTREE_IN_USE', 'WORKTREE_IN_USE'],
    { ...inItsWorktree, body: () => ({ how: 'merge' }) },
  ],
  ['GET /api/agents/:name/worktree-settings', 'agents:read', [401, 404, 200, 200, 200]],
  ['PUT /api/agents/:name/worktree-settings', 'agents:write terminal', [401, 404, 403, 200, 200], worktreeSettings],
  ['GET /api/agents/:name/credentials', 'agents:write', [401, 404, 403, 200, 200]],
  ['GET /api/agents/:name/credentials-in-force', 'agents:read', [401, 404, 200, 200, 200]],
  ['GET /api/agents/:name/cli-access', 'agents:read', [401, 404, 200, 200, 200]],
  // A git token has an address, to which programs send it.
  ['PUT /api/agents/:name/credentials/:kind', 'agents:write terminal', [401, 404, 403, 200, 200], credential],
  ['POST /api/agents/:name/credentials/:kind/test', 'agents:write', [401, 404, 403, 200, 200]],
  ['DELETE /api/agents/:name/credentials/:kind', 'agents:write', [401, 404, 403, 204, 204], ownAgent],
  ['GET /api/agents/:name/connectors', 'agents:write terminal', [401, 404, 403, 200, 200]],
  ...connectorRows('/api/agents/:name/connectors', 'agents:write terminal', [401, 404, 403], ownAgent),
  ['GET /api/agents/:name/variables', 'agents:write terminal', [401, 404, 403, 200, 200]],
  ['PUT /api/agents/:name/variables/:variable', 'agents:write terminal', [401, 404, 403, 200, 200], variable],
  ['DELETE /api/agents/:name/variables/:variable', 'agents:write terminal', [401, 404, 403, 204, 204], ownAgent],
  ['POST /api/agents/:name/exec', 'terminal', [401, 404, 200, 200, 200], { body: () => ({ argv: ['id'] }) }],
  ['GET /api/agents/:name/files', 'terminal', [401, 404, 200, 200, 200], { query: 'path=notes' }],
  ['PUT /api/agents/:name/files', 'terminal', [401, 404, 204, 204, 204], { query: 'path=notes', body: () => ({}) }],
  ['POST /api/agents/:name/files/find', 'terminal', [401, 404, 200, 200, 200], { body: () => ({ paths: ['notes'] }) }],
  ['GET /api/agents/:name/files/list', 'terminal', [401, 404, 200, 200, 200], { query: 'path=~' }],
  ['DELETE /api/agents/:name/files', 'terminal', [401, 404, 200, 200, 200], { query: 'path=notes' }],
  ['GET /api/agents/:name/files/tree', 'terminal', [401, 404, 200, 200, 200], { query: 'path=~' }],
  ['GET /api/agents/:name/files/names', 'terminal', [401, 404, 200, 200, 200], { query: 'path=~' }],
  ['POST /api/agents/:name/files/search', 'terminal', [401, 404, 200, 200, 200], search],
  [
    'POST /api/agents/:name/files/versions',
    'terminal',
    [401, 404, 200, 200, 200],
    { body: () => ({ paths: ['notes'] }) },
  ],
  ['POST /api/agents/:name/files/folder', 'terminal', [401, 404, 204, 204, 204], { query: 'path=notes' }],
  ['POST /api/agents/:name/files/move', 'terminal', [401, 404, 204, 204, 204], { query: 'path=notes&to=memos' }],
  ['GET /api/agents/:name/recordings', 'terminal', [401, 404, 200, 200, 200]],
  ['GET /api/recordings/:id', 'terminal', [401, 404, 200, 200, 200], recorded],
  ['GET /api/recordings/:id/cast', 'terminal', [401, 404, 200, 200, 200], recorded],
  [
    'PATCH /api/recordings/:id',
    'agents:write terminal',
    [401, 404, 403, 200, 200],
    { ...recorded, body: () => ({ shared: true }) },
  ],
  ['DELETE /api/recordings/:id', 'agents:write', [401, 404, 403, 204, 204], recorded],
  ['WS /api/agents/:name/terminal', 'terminal', [4001, 4003, 'open', 'open', 'open'], ownAgent],

  // Links to a live terminal of the owner. A sharee may use the agent, but has no rights in another user's terminal.
  [
    'POST /api/terminal-sessions/:sessionId/links',
    'terminal',
    [401, 404, 404, 201, 201],
    { ...live, body: () => ({ access: 'view' }) },
  ],
  ['GET /api/terminal-sessions/:sessionId/links', 'terminal', [401, 404, 404, 200, 200], live],
  ['DELETE /api/terminal-sessions/:sessionId/links/:linkId', 'terminal', [401, 404, 404, 204, 204], live],
  // This socket asks for a link, and not for a user.
  ['WS /api/watch', 'public', [4001, 4001, 4001, 4001, 4001]],

  // Events
  ['WS /api/events', 'agents:read|tasks:read', [4001, 'open', 'open', 'open', 'open']],
]
