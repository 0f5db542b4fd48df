/** Tasks, and what belongs to them. */
import type { Scene } from '../scene/scene.ts'
import type { Row } from './row.ts'

/** A task of the owner that has ended. Each caller gets one of its own. */
const done = { target: (scene: Scene) => scene.task() } as const
/** A custom provider of the caller. */
const described = { target: (scene: Scene) => scene.cliProviderOfCaller() }
const inTheAgent = { body: async (scene: Scene) => ({ agent: await scene.commonAgent() }) }
const aTask = { body: async (scene: Scene) => ({ agent: await scene.agent(), provider: 'claude-code', prompt: 'hi' }) }

/** A schedule of the caller in an agent of the owner. */
const planned = { target: (scene: Scene) => scene.scheduleOfCaller() }

/** A comparison of the caller. */
const compared = { target: (scene: Scene) => scene.comparisonOfCaller() }
const twoTargets = async (scene: Scene) => {
  const target = { agent: await scene.agent(), provider: 'claude-code' }
  return {
    prompt: 'hi',
    targets: [
      { ...target, cwd: 'one' },
      { ...target, cwd: 'two' },
    ],
  }
}

export const TASK_ROWS: readonly Row[] = [
  ['GET /api/coding-agents/sessions', 'tasks:read', [401, 200, 200, 200, 200]],
  ['POST /api/coding-agents/sessions', 'tasks:write', [401, 404, 201, 201, 201], aTask],
  ['POST /api/coding-agents/run', 'tasks:write', [401, 404, 422, 422, 422], aTask],
  ['GET /api/coding-agents/results', 'tasks:read', [401, 200, 200, 200, 200]],
  ['GET /api/coding-agents/results/:id', 'tasks:read', [401, 404, 200, 200, 200], done],
  ['GET /api/coding-agents/sessions/:id', 'tasks:read', [401, 404, 200, 200, 200], done],
  ['GET /api/coding-agents/sessions/:id/output', 'tasks:read', [401, 404, 200, 200, 200], done],
  ['GET /api/coding-agents/sessions/:id/diff', 'tasks:read', [401, 404, 200, 200, 200], done],
  [
    'POST /api/coding-agents/sessions/:id/validation',
    'tasks:write terminal',
    [401, 404, 202, 202, 202],
    { ...done, body: () => ({}) },
  ],
  ['GET /api/coding-agents/sessions/:id/validation', 'tasks:read', [401, 404, 200, 200, 200], done],
  [
    'DELETE /api/coding-agents/sessions/:id/validation',
    'tasks:write terminal',
    [401, 404, 'WRONG_STATE', 'WRONG_STATE', 'WRONG_STATE'],
    done,
  ],
  [
    'POST /api/coding-agents/sessions/:id/diff/discard',
    'tasks:write terminal',
    [401, 404, 'CHANGES_GONE', 'CHANGES_GONE', 'CHANGES_GONE'],
    { ...done, body: () => ({ since: 'start', tree: 'a'.repeat(40), path: 'a' }) },
  ],
  [
    'POST /api/coding-agents/sessions/:id/diff/undo',
    'tasks:write terminal',
    [401, 404, 'CHANGES_GONE', 'CHANGES_GONE', 'CHANGES_GONE'],
    { ...done, body: () => ({ since: 'start', before: 'a'.repeat(40), after: 'b'.repeat(40) }) },
  ],
  ['GET /api/coding-agents/sessions/:id/publication', 'tasks:write terminal', [401, 404, 200, 200, 200], done],
  [
    'POST /api/coding-agents/sessions/:id/publication/commit',
    'tasks:write terminal',
    [401, 404, 200, 200, 200],
    { ...done, body: () => ({ branch: 'topic', message: 'Work' }) },
  ],
  [
    'POST /api/coding-agents/sessions/:id/publication/push',
    'tasks:write terminal',
    [401, 404, 204, 204, 204],
    { ...done, body: () => ({ branch: 'topic', commit: 'a'.repeat(40) }) },
  ],
  [
    'POST /api/coding-agents/sessions/:id/publication/pull-request',
    'tasks:write terminal',
    [401, 404, 'REMOTE_REFUSED', 'REMOTE_REFUSED', 'REMOTE_REFUSED'],
    { ...done, body: () => ({ branch: 'topic', base: 'main', title: 'Work', body: '' }) },
  ],
  [
    'GET /api/coding-agents/sessions/:id/publication/pull-request',
    'tasks:write terminal',
    [401, 404, 'REMOTE_REFUSED', 'REMOTE_REFUSED', 'REMOTE_REFUSED'],
    done,
  ],
  [
    'GET /api/coding-agents/sessions/:id/publication/feedback',
    'tasks:write terminal',
    [401, 404, 'REMOTE_REFUSED', 'REMOTE_REFUSED', 'REMOTE_REFUSED'],
    done,
  ],
  ['GET /api/coding-agents/sessions/:id/events', 'tasks:read', [401, 404, 200, 200, 200], done],
  ['DELETE /api/coding-agents/sessions/:id', 'tasks:write', [401, 404, 403, 202, 202], done],
  ['POST /api/coding-agents/sessions/:id/terminal', 'tasks:write terminal', [401, 404, 200, 200, 200], done],
  [
    'POST /api/coding-agents/sessions/:id/input',
    'tasks:write',
    [401, 404, 403, 'NOT_INTERACTIVE', 403],
    { ...done, body: () => ({ data: 'y' }) },
  ],
  [
    'POST /api/coding-agents/sessions/:id/resize',
    'tasks:write',
    [401, 404, 403, 'NOT_INTERACTIVE', 403],
    { ...done, body: () => ({ cols: 80, rows: 24 }) },
  ],
  ['POST /api/coding-agents/sessions/:id/archive', 'tasks:write', [401, 404, 403, 200, 403], done],
  ['POST /api/coding-agents/sessions/:id/unarchive', 'tasks:write', [401, 404, 403, 200, 403], done],
  ['GET /api/coding-agents/comparisons', 'tasks:read', [401, 200, 200, 200, 200]],
  ['POST /api/coding-agents/comparisons', 'tasks:write', [401, 404, 201, 201, 201], { body: twoTargets }],
  ['GET /api/coding-agents/comparisons/:id', 'tasks:read', [401, 200, 200, 200, 200], compared],
  [
    'POST /api/coding-agents/comparisons/:id/choose',
    'tasks:write',
    [401, 200, 200, 200, 200],
    { ...compared, body: (scene) => ({ sessionId: scene.compared }) },
  ],
  ['GET /api/coding-agents/usage', 'tasks:read', [401, 200, 200, 200, 200]],
  ['GET /api/users/me/budget', 'tasks:read', [401, 200, 200, 200, 200]],
  ['GET /api/users/:id/budget', 'none', [401, 403, 403, 403, 200], { target: (scene) => scene.invitedUser() }],
  [
    'PUT /api/users/:id/budget',
    'none',
    [401, 403, 403, 403, 200],
    { target: (scene) => scene.invitedUser(), body: () => ({ limitUsd: 50 }) },
  ],
  ['GET /api/platform/budget', 'none', [401, 403, 403, 403, 200]],
  ['PUT /api/platform/budget', 'none', [401, 403, 403, 403, 200], { body: () => ({ limitUsd: null }) }],
  [
    'GET /api/coding-agents/status',
    'tasks:read',
    [401, 404, 200, 200, 200],
    { target: (scene) => scene.commonAgent(), query: 'agent={target}' },
  ],
  [
    'POST /api/coding-agents/test',
    'tasks:write',
    [401, 404, 200, 200, 200],
    { body: async (scene) => ({ agent: await scene.commonAgent(), provider: 'codex' }) },
  ],
  ['GET /api/cli-providers', 'tasks:read', [401, 200, 200, 200, 200]],
  [
    'POST /api/cli-providers',
    'tasks:write',
    [401, 201, 201, 201, 201],
    { body: (scene) => ({ name: scene.newName(), display_name: 'Walked', binary: 'cat' }) },
  ],
  [
    'PUT /api/cli-providers/:id',
    'tasks:write',
    [401, 200, 200, 200, 200],
    { ...described, body: () => ({ icon: 'x' }) },
  ],
  ['DELETE /api/cli-providers/:id', 'tasks:write', [401, 204, 204, 204, 204], described],
  ['POST /api/cli-providers/:id/test', 'tasks:write', [401, 404, 200, 200, 200], { ...described, ...inTheAgent }],
  ['GET /api/coding-agents/schedules', 'tasks:read', [401, 200, 200, 200, 200]],
  [
    'POST /api/coding-agents/schedules',
    'tasks:write',
    [401, 404, 201, 201, 201],
    { body: async (scene) => ({ agent: await scene.commonAgent(), name: 'Walked', cron: '0 9 * * *', prompt: 'hi' }) },
  ],
  [
    'POST /api/coding-agents/schedules/preview',
    'tasks:read',
    [401, 200, 200, 200, 200],
    { body: () => ({ cron: '0 9 * * *' }) },
  ],
  ['GET /api/coding-agents/schedules/:id', 'tasks:read', [401, 200, 200, 200, 200], planned],
  [
    'PATCH /api/coding-agents/schedules/:id',
    'tasks:write',
    [401, 200, 200, 200, 200],
    { ...planned, body: () => ({ name: 'Walked on' }) },
  ],
  ['DELETE /api/coding-agents/schedules/:id', 'tasks:write', [401, 204, 204, 204, 204], planned],
  ['POST /api/coding-agents/schedules/:id/run', 'tasks:write', [401, 404, 201, 201, 201], planned],
  // What a tool does is refused in its answer; the tests of the tools look there.
  [
    'POST /api/mcp',
    'tasks:read',
    [401, 200, 200, 200, 200],
    { body: () => ({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) },
  ],
  ['GET /api/mcp', 'tasks:read', [401, 405, 405, 405, 405]],
  ['DELETE /api/mcp', 'tasks:read', [401, 405, 405, 405, 405]],
]
