/**
 * The expected answer to each kind of caller, on every route and socket. It is written by hand from what users may do,
 * and not derived from the policy's table, so that the two check each other.
 */
import { DEFAULT_PREFERENCES } from '@slipway/protocol'
import { PASSWORD } from '../support/people.ts'
import { LEFT_PID } from '../support/engine/memory-engine.ts'
import { newAgent } from '../support/team.ts'
import type { Scene } from './scene.ts'

/** A status. An error's code, if the status alone is ambiguous. Or the answer of a socket. */
export type Answer = number | string

/**
 * The scope that an API token needs. With it the token has all rights of its owner, and without it none (403). `any`:
 * any scope is enough. `none`: no scope is enough. `public`: the route does not check the caller.
 */
export type Needs =
  | 'public'
  | 'any'
  | 'none'
  | 'agents:read'
  | 'agents:write'
  | 'terminal'
  | 'tasks:read'
  | 'tasks:write'
  | 'users:admin'
  | 'metrics:read'
  /** Both scopes. */
  | 'agents:write terminal'
  | 'tasks:write terminal'

/** What a request contains, besides the address with its parameters. */
export interface Asking {
  readonly body?: (scene: Scene) => object | Promise<object>
  readonly query?: string
  /** The address's first parameter, and `{target}` in `query`. By default it is the agent's name. */
  readonly target?: (scene: Scene) => string | Promise<string>
  /** The request changes the agent for later callers, so each caller gets an agent of its own. */
  readonly ownAgent?: true
  /** The answer goes on until the client closes it. */
  readonly endless?: true
}

/** The route, the scope that a token needs, and the answers to nobody, a stranger, a sharee, the owner, an admin. */
export type Row = readonly [
  route: string,
  needs: Needs,
  answers: readonly [nobody: Answer, stranger: Answer, sharee: Answer, owner: Answer, admin: Answer],
  asking?: Asking,
]

const own = { ownAgent: true } as const
/** A git token for a host. */
const credential = { body: () => ({ value: 'glpat-of-the-walk', address: 'https://git.example.org' }) }
/** A variable of an agent. */
const variable = { body: () => ({ value: 'of the walk', secret: true }) }
const ofSystemAgent = { target: (scene: Scene) => scene.variableOfSystemAgent() } as const

/** Rows that set, switch and remove a connector of one owner. A caller may do all three or none. */
const connectorRows = (path: string, scope: Needs, refusals: readonly number[], more: Partial<Asking>): Row[] =>
  (
    [
      ['PUT', 200, { body: () => ({ kind: 'http', url: 'https://mcp.example.org/' }) }],
      ['PATCH', 200, { body: () => ({ enabled: false }) }],
      ['DELETE', 204, {}],
    ] as const
  ).map(([method, answer, body]) => {
    const [nobody = answer, stranger = answer, sharee = answer, owner = answer, admin = answer] = refusals
    return [`${method} ${path}/:connector`, scope, [nobody, stranger, sharee, owner, admin], { ...body, ...more }]
  })

/** A shared recording. Each caller gets one of its own. */
const recorded = { target: (scene: Scene) => scene.recording() } as const

/** A task of the owner that has ended. Each caller gets one of its own. */
const done = { target: (scene: Scene) => scene.task() } as const
/** A custom provider of the caller. */
const described = { target: (scene: Scene) => scene.cliProviderOfCaller() }
const inTheAgent = { body: async (scene: Scene) => ({ agent: await scene.commonAgent() }) }
const aTask = { body: async (scene: Scene) => ({ agent: await scene.agent(), provider: 'claude-code', prompt: 'hi' }) }

/** A schedule of the caller in an agent of the owner. */
const planned = { target: (scene: Scene) => scene.scheduleOfCaller() }

/** An open terminal with a link to it. Each caller gets one of its own. */
const live = { target: (scene: Scene) => scene.terminal() } as const

/** Rows that set, test and remove a credential of one owner. A caller may do all three or none. */
const credentialRows = (path: string, refusals: readonly number[], target: NonNullable<Asking['target']>): Row[] =>
  (
    [
      ['PUT', '', 200],
      ['POST', '/test', 200],
      ['DELETE', '', 204],
    ] as const
  ).map(([method, end, answer]) => {
    const [nobody = answer, stranger = answer, sharee = answer, owner = answer, admin = answer] = refusals
    return [
      `${method} ${path}/:kind${end}`,
      'none',
      [nobody, stranger, sharee, owner, admin],
      { ...credential, target },
    ]
  })

export const TABLE: readonly Row[] = [
  // Pages, documentation, health
  ['GET /*', 'public', [200, 200, 200, 200, 200]],
  ['GET /docs', 'public', [200, 200, 200, 200, 200]],
  ['GET /docs/json', 'public', [200, 200, 200, 200, 200]],
  ['GET /docs/yaml', 'public', [200, 200, 200, 200, 200]],
  ['GET /docs/static/*', 'public', [200, 200, 200, 200, 200], { target: () => 'swagger-ui.css' }],
  ['GET /docs/static/index.html', 'public', [302, 302, 302, 302, 302]],
  ['GET /docs/static/swagger-initializer.js', 'public', [200, 200, 200, 200, 200]],
  ['GET /docs/static/theme/page.css', 'public', [200, 200, 200, 200, 200]],
  ['GET /docs/static/theme/page.js', 'public', [200, 200, 200, 200, 200]],
  ['GET /api/health', 'public', [200, 200, 200, 200, 200]],
  ['GET /api/health/ready', 'public', [200, 200, 200, 200, 200]],
  ['GET /api/providers', 'public', [200, 200, 200, 200, 200]],
  ['GET /api/metrics', 'metrics:read', [401, 403, 403, 403, 200]],

  // Signing in
  ['GET /api/auth/status', 'public', [200, 200, 200, 200, 200]],
  [
    'POST /api/auth/setup',
    'public',
    ['ALREADY_SET_UP', 'ALREADY_SET_UP', 'ALREADY_SET_UP', 'ALREADY_SET_UP', 'ALREADY_SET_UP'],
    { body: () => ({ token: 'x', email: 'a@example.org', password: PASSWORD }) },
  ],
  [
    'POST /api/auth/invitation',
    'public',
    ['INVALID_LINK', 'INVALID_LINK', 'INVALID_LINK', 'INVALID_LINK', 'INVALID_LINK'],
    { body: () => ({ token: 'x', password: PASSWORD }) },
  ],
  [
    'POST /api/auth/invitation/lookup',
    'public',
    ['INVALID_LINK', 'INVALID_LINK', 'INVALID_LINK', 'INVALID_LINK', 'INVALID_LINK'],
    { body: () => ({ token: 'x' }) },
  ],
  [
    'POST /api/auth/login',
    'public',
    [200, 200, 200, 200, 200],
    { body: ({ world }) => ({ email: world.stranger.email, password: PASSWORD }) },
  ],
  [
    'POST /api/auth/refresh',
    'public',
    ['INVALID_REFRESH', 'INVALID_REFRESH', 'INVALID_REFRESH', 'INVALID_REFRESH', 'INVALID_REFRESH'],
  ],
  ['POST /api/auth/logout', 'public', [204, 204, 204, 204, 204]],

  // My account
  ['GET /api/users/me', 'any', [401, 200, 200, 200, 200]],
  [
    'PATCH /api/users/me',
    'none',
    [401, 200, 200, 200, 200],
    { body: () => ({ currentPassword: PASSWORD, newPassword: PASSWORD }) },
  ],
  ['GET /api/users/me/preferences', 'none', [401, 200, 200, 200, 200]],
  ['PUT /api/users/me/preferences', 'none', [401, 200, 200, 200, 200], { body: () => DEFAULT_PREFERENCES }],
  ['GET /api/users/me/sign-ins', 'none', [401, 200, 200, 200, 200]],
  [
    'DELETE /api/users/me/sign-ins/:id',
    'none',
    [401, 204, 204, 204, 204],
    { target: (scene) => scene.signInOfCaller() },
  ],
  ['DELETE /api/users/me/sign-ins', 'none', [401, 204, 204, 204, 204], { query: 'all=true' }],
  ['GET /api/tokens', 'none', [401, 200, 200, 200, 200]],
  [
    'POST /api/tokens',
    'none',
    [401, 201, 201, 201, 201],
    { body: () => ({ name: 'walked', scopes: ['agents:read'], expiresInDays: 1 }) },
  ],
  ['DELETE /api/tokens/:id', 'none', [401, 204, 204, 204, 204], { target: (scene) => scene.tokenOfCaller() }],

  // Users
  ['GET /api/users', 'users:admin', [401, 403, 403, 403, 200]],
  [
    'POST /api/users',
    'users:admin',
    [401, 403, 403, 403, 201],
    { body: (scene) => ({ email: scene.newEmail(), role: 'user' }) },
  ],
  [
    'POST /api/users/:id/invitation',
    'users:admin',
    [401, 403, 403, 403, 201],
    { target: (scene) => scene.invitedUser() },
  ],
  [
    'PATCH /api/users/:id',
    'users:admin',
    [401, 403, 403, 403, 200],
    { target: (scene) => scene.invitedUser(), body: () => ({ disabled: true }) },
  ],
  ['DELETE /api/users/:id', 'users:admin', [401, 403, 403, 403, 204], { target: (scene) => scene.invitedUser() }],

  // Agents
  ['GET /api/agents', 'agents:read', [401, 200, 200, 200, 200]],
  ['GET /api/agents/options', 'agents:read', [401, 200, 200, 200, 200]],
  [
    'POST /api/agents',
    'agents:write',
    [401, 201, 201, 201, 201],
    { query: 'wait=true', body: (scene) => newAgent(scene.newName()) },
  ],
  ['GET /api/agents/:name', 'agents:read', [401, 404, 200, 200, 200]],
  ['PATCH /api/agents/:name', 'agents:write', [401, 404, 403, 200, 200], { body: () => ({ model: 'opus' }) }],
  ['DELETE /api/agents/:name', 'agents:write', [401, 404, 403, 204, 204], own],
  ['POST /api/agents/:name/start', 'agents:write', [401, 404, 202, 202, 202], { query: 'wait=true' }],
  ['POST /api/agents/:name/stop', 'agents:write', [401, 404, 202, 202, 202], { query: 'wait=true', ...own }],
  ['POST /api/agents/:name/restart', 'agents:write', [401, 404, 202, 202, 202], { query: 'wait=true', ...own }],
  ['GET /api/agents/:name/logs', 'agents:read', [401, 404, 200, 200, 200]],
  ['GET /api/agents/:name/logs/follow', 'agents:read', [401, 404, 200, 200, 200], { endless: true }],
  ['GET /api/agents/:name/stats', 'agents:read', [401, 404, 200, 200, 200]],
  ['GET /api/agents/:name/stats/history', 'agents:read', [401, 404, 200, 200, 200]],
  ['GET /api/agents/:name/processes', 'agents:read', [401, 404, 200, 200, 200]],
  ['DELETE /api/agents/:name/processes/:pid', 'agents:write', [401, 404, 204, 204, 204]],
  ['GET /api/agents/:name/shares', 'agents:write', [401, 404, 403, 200, 200]],
  [
    'POST /api/agents/:name/shares',
    'agents:write terminal',
    [401, 404, 403, 201, 201],
    { body: ({ world }) => ({ email: world.sharee.email }) },
  ],
  ['DELETE /api/agents/:name/shares/:userId', 'agents:write', [401, 404, 403, 204, 204], own],
  ['POST /api/agents/:name/trust', 'none', [401, 404, 403, 'WRONG_STATE', 403]],
  ['GET /api/agents/:name/credentials', 'agents:write', [401, 404, 403, 200, 200]],
  ['GET /api/agents/:name/credentials-in-force', 'agents:read', [401, 404, 200, 200, 200]],
  ['GET /api/agents/:name/cli-access', 'agents:read', [401, 404, 200, 200, 200]],
  // A git token has an address, to which programs send it.
  ['PUT /api/agents/:name/credentials/:kind', 'agents:write terminal', [401, 404, 403, 200, 200], credential],
  ['POST /api/agents/:name/credentials/:kind/test', 'agents:write', [401, 404, 403, 200, 200]],
  ['DELETE /api/agents/:name/credentials/:kind', 'agents:write', [401, 404, 403, 204, 204], own],
  ['GET /api/agents/:name/connectors', 'agents:write terminal', [401, 404, 403, 200, 200]],
  ...connectorRows('/api/agents/:name/connectors', 'agents:write terminal', [401, 404, 403], own),
  ['GET /api/agents/:name/variables', 'agents:write terminal', [401, 404, 403, 200, 200]],
  ['PUT /api/agents/:name/variables/:variable', 'agents:write terminal', [401, 404, 403, 200, 200], variable],
  ['DELETE /api/agents/:name/variables/:variable', 'agents:write terminal', [401, 404, 403, 204, 204], own],
  ['POST /api/agents/:name/exec', 'terminal', [401, 404, 200, 200, 200], { body: () => ({ argv: ['id'] }) }],
  ['GET /api/coding-agents/sessions', 'tasks:read', [401, 200, 200, 200, 200]],
  ['POST /api/coding-agents/sessions', 'tasks:write', [401, 404, 201, 201, 201], aTask],
  ['POST /api/coding-agents/run', 'tasks:write', [401, 404, 422, 422, 422], aTask],
  ['GET /api/coding-agents/results', 'tasks:read', [401, 200, 200, 200, 200]],
  ['GET /api/coding-agents/results/:id', 'tasks:read', [401, 404, 200, 200, 200], done],
  ['GET /api/coding-agents/sessions/:id', 'tasks:read', [401, 404, 200, 200, 200], done],
  ['GET /api/coding-agents/sessions/:id/output', 'tasks:read', [401, 404, 200, 200, 200], done],
  ['GET /api/coding-agents/sessions/:id/diff', 'tasks:read', [401, 404, 200, 200, 200], done],
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
  ['GET /api/agents/:name/files', 'terminal', [401, 404, 200, 200, 200], { query: 'path=notes' }],
  ['PUT /api/agents/:name/files', 'terminal', [401, 404, 204, 204, 204], { query: 'path=notes', body: () => ({}) }],
  ['POST /api/agents/:name/files/find', 'terminal', [401, 404, 200, 200, 200], { body: () => ({ paths: ['notes'] }) }],
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
  ['WS /api/agents/:name/terminal', 'terminal', [4001, 4003, 'open', 'open', 'open'], own],

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

  // The system agent
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
  ['GET /api/system-agent/processes', 'agents:read', [401, 403, 403, 403, 200]],
  [
    'DELETE /api/system-agent/processes/:pid',
    'agents:write',
    [401, 403, 403, 403, 204],
    { target: () => String(LEFT_PID) },
  ],
  ['GET /api/system-agent/credentials', 'none', [401, 403, 403, 403, 200]],
  ['GET /api/system-agent/credentials-in-force', 'agents:read', [401, 403, 403, 403, 200]],
  ['GET /api/system-agent/cli-access', 'agents:read', [401, 403, 403, 403, 200]],
  ...credentialRows('/api/system-agent/credentials', [401, 403, 403, 403], (scene) => scene.credentialOfSystemAgent()),
  ['GET /api/system-agent/connectors', 'none', [401, 403, 403, 403, 200]],
  ...connectorRows('/api/system-agent/connectors', 'none', [401, 403, 403, 403], {
    target: (scene) => scene.connectorOfSystemAgent(),
  }),
  ['GET /api/system-agent/variables', 'none', [401, 403, 403, 403, 200]],
  ['PUT /api/system-agent/variables/:variable', 'none', [401, 403, 403, 403, 200], { ...variable, ...ofSystemAgent }],
  ['DELETE /api/system-agent/variables/:variable', 'none', [401, 403, 403, 403, 204], ofSystemAgent],
  ['POST /api/system-agent/exec', 'terminal', [401, 403, 403, 403, 200], { body: () => ({ argv: ['id'] }) }],
  ['GET /api/system-agent/files', 'terminal', [401, 403, 403, 403, 200], { query: 'path=notes' }],
  ['PUT /api/system-agent/files', 'terminal', [401, 403, 403, 403, 204], { query: 'path=notes', body: () => ({}) }],
  ['POST /api/system-agent/files/find', 'terminal', [401, 403, 403, 403, 200], { body: () => ({ paths: ['notes'] }) }],
  ['GET /api/system-agent/recordings', 'terminal', [401, 403, 403, 403, 200]],
  ['WS /api/system-agent/terminal', 'terminal', [4001, 4003, 4003, 4003, 'open']],
  ['POST /api/system-agent/stop', 'agents:write', [401, 403, 403, 403, 202], { query: 'wait=true' }],

  // Credentials of people and of the platform
  ['GET /api/users/me/credentials', 'none', [401, 200, 200, 200, 200]],
  ['GET /api/users/me/cli-access', 'none', [401, 200, 200, 200, 200]],
  ...credentialRows('/api/users/me/credentials', [401], (scene) => scene.credentialOfCaller()),
  ['GET /api/platform/credentials', 'none', [401, 403, 403, 403, 200]],
  ...credentialRows('/api/platform/credentials', [401, 403, 403, 403], (scene) => scene.credentialOfPlatform()),
  ['GET /api/users/me/connectors', 'none', [401, 200, 200, 200, 200]],
  ...connectorRows('/api/users/me/connectors', 'none', [401], { target: (scene) => scene.connectorOfCaller() }),
  ['GET /api/platform/connectors', 'none', [401, 403, 403, 403, 200]],
  ...connectorRows('/api/platform/connectors', 'none', [401, 403, 403, 403], {
    target: (scene) => scene.connectorOfPlatform(),
  }),
  ['GET /api/platform/secret-key', 'none', [401, 403, 403, 403, 200]],

  // The audit log
  ['GET /api/audit', 'none', [401, 403, 403, 403, 200]],
  ['GET /api/audit/export', 'none', [401, 403, 403, 403, 200], { query: 'format=csv' }],

  // Events
  ['WS /api/events', 'agents:read', [4001, 'open', 'open', 'open', 'open']],
]
