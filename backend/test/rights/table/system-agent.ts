/** The system agent. */
import { LEFT_PID } from '../../support/engine/memory-engine.ts'
import type { Scene } from '../scene.ts'
import { connectorRows, credentialRows, type Row, unknownToken, variable, worktreeSettings } from './row.ts'

const ofSystemAgent = { target: (scene: Scene) => scene.variableOfSystemAgent() } as const

export const SYSTEM_AGENT_ROWS: readonly Row[] = [
  ['GET /api/system-agent', 'agents:read', [401, 403, 403, 403, 200]],
  ['GET /api/system-agent/warnings', 'agents:read', [401, 403, 403, 403, 200]],
  ['PATCH /api/system-agent', 'agents:write', [401, 403, 403, 403, 200], { body: () => ({ model: 'opus' }) }],
  ['GET /api/system-agent/logs', 'agents:read', [401, 403, 403, 403, 200]],
  ['GET /api/system-agent/logs/follow', 'agents:read', [401, 403, 403, 403, 200], { endless: true }],
  ['GET /api/system-agent/stats', 'agents:read', [401, 403, 403, 403, 200]],
  ['GET /api/system-agent/stats/history', 'agents:read', [401, 403, 403, 403, 200]],
  ['POST /api/system-agent/start', 'agents:write', [401, 403, 403, 403, 202], { query: 'wait=true' }],
  ['POST /api/system-agent/restart', 'agents:write', [401, 403, 403, 403, 202], { query: 'wait=true' }],
  ['POST /api/system-agent/recreate', 'agents:write', [401, 403, 403, 403, 202], { query: 'wait=true' }],
  ['GET /api/system-agent/shown', 'agents:read', [401, 403, 403, 403, 200]],
  ['GET /api/system-agent/processes', 'agents:read', [401, 403, 403, 403, 200]],
  [
    'DELETE /api/system-agent/processes/:pid',
    'agents:write',
    [401, 403, 403, 403, 204],
    { target: () => String(LEFT_PID) },
  ],
  ['GET /api/system-agent/ports', 'agents:read', [401, 403, 403, 403, 'WRONG_STATE']],
  [
    'POST /api/system-agent/ports/:port/tickets',
    'terminal',
    [401, 403, 403, 403, 201],
    { target: () => '5173', body: () => ({}) },
  ],
  ['GET /api/system-agent/credentials', 'none', [401, 403, 403, 403, 200]],
  ['GET /api/system-agent/credentials-in-force', 'agents:read', [401, 403, 403, 403, 200]],
  ['GET /api/system-agent/cli-access', 'agents:read', [401, 403, 403, 403, 200]],
  ...credentialRows('/api/system-agent/credentials', [401, 403, 403, 403], (scene) => scene.credentialOfSystemAgent()),
  ['GET /api/system-agent/connectors', 'none', [401, 403, 403, 403, 200]],
  ...connectorRows('/api/system-agent/connectors', 'none', [401, 403, 403, 403], {
    target: (scene) => scene.connectorOfSystemAgent(),
  }),
  ['GET /api/system-agent/tools', 'none', [401, 403, 403, 403, 200]],
  ['PUT /api/system-agent/tools', 'none', [401, 403, 403, 403, 'VALIDATION'], unknownToken],
  ['DELETE /api/system-agent/tools', 'none', [401, 403, 403, 403, 204]],
  ['GET /api/system-agent/worktrees', 'agents:read', [401, 403, 403, 403, 200]],
  [
    'DELETE /api/system-agent/worktrees/:worktree',
    'terminal',
    [401, 403, 403, 403, 'WORKTREE_IN_USE'],
    { target: (scene: Scene) => scene.worktreeOfSystemAgent() },
  ],
  [
    'POST /api/system-agent/worktrees/:worktree/take-back',
    'terminal',
    [401, 403, 403, 403, 'WORKTREE_IN_USE'],
    { target: (scene: Scene) => scene.worktreeOfSystemAgent(), body: () => ({ how: 'merge' }) },
  ],
  ['GET /api/system-agent/worktree-settings', 'agents:read', [401, 403, 403, 403, 200]],
  ['PUT /api/system-agent/worktree-settings', 'none', [401, 403, 403, 403, 200], worktreeSettings],
  ['GET /api/system-agent/variables', 'none', [401, 403, 403, 403, 200]],
  ['PUT /api/system-agent/variables/:variable', 'none', [401, 403, 403, 403, 200], { ...variable, ...ofSystemAgent }],
  ['DELETE /api/system-agent/variables/:variable', 'none', [401, 403, 403, 403, 204], ofSystemAgent],
  ['POST /api/system-agent/exec', 'terminal', [401, 403, 403, 403, 200], { body: () => ({ argv: ['id'] }) }],
  ['GET /api/system-agent/files', 'terminal', [401, 403, 403, 403, 200], { query: 'path=notes' }],
  ['PUT /api/system-agent/files', 'terminal', [401, 403, 403, 403, 204], { query: 'path=notes', body: () => ({}) }],
  ['POST /api/system-agent/files/find', 'terminal', [401, 403, 403, 403, 200], { body: () => ({ paths: ['notes'] }) }],
  ['GET /api/system-agent/files/list', 'terminal', [401, 403, 403, 403, 200], { query: 'path=~' }],
  ['GET /api/system-agent/recordings', 'terminal', [401, 403, 403, 403, 200]],
  ['WS /api/system-agent/terminal', 'terminal', [4001, 4003, 4003, 4003, 'open']],
  ['POST /api/system-agent/stop', 'agents:write', [401, 403, 403, 403, 202], { query: 'wait=true' }],
]
