/** Approval rules. */
import type { Scene } from '../scene/scene.ts'
import type { Row } from './row.ts'

const PATH = 'approval-rules'
const body = (scene: Scene) => ({
  decision: 'allow',
  covers: { kind: 'command', words: ['git', 'push', scene.newName()], exact: false },
})
const of = (owner: 'user' | 'platform') => ({ target: (scene: Scene) => scene.rule(owner) })

export const RULE_ROWS: readonly Row[] = [
  [`GET /api/${PATH}`, 'tasks:read', [401, 200, 200, 200, 200]],
  [`POST /api/${PATH}`, 'tasks:write', [401, 201, 201, 201, 201], { body }],
  [`DELETE /api/${PATH}/:rule`, 'tasks:write', [401, 204, 204, 204, 204], of('user')],
  [`GET /api/agents/:name/${PATH}`, 'agents:read', [401, 404, 200, 200, 200]],
  [`POST /api/agents/:name/${PATH}`, 'agents:write', [401, 404, 403, 201, 201], { body }],
  [
    `DELETE /api/agents/:name/${PATH}/:rule`,
    'agents:write',
    [401, 404, 403, 204, 204],
    { target: (scene: Scene) => scene.agentWithRule() },
  ],
  [`POST /api/platform/${PATH}`, 'none', [401, 403, 403, 403, 201], { body }],
  [`DELETE /api/platform/${PATH}/:rule`, 'none', [401, 403, 403, 403, 204], of('platform')],
]
