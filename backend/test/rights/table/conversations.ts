/** Conversations: chains of tasks on one session of a CLI. */
import type { Scene } from '../scene/scene.ts'
import type { Row } from './row.ts'

/** A conversation of the owner without a turn that runs. Each caller gets one of its own. */
const idle = { target: (scene: Scene) => scene.conversation(false) } as const
/** One with a turn that has not ended, and a message that waits. */
const busy = { target: (scene: Scene) => scene.conversation(true) } as const

export const CONVERSATION_ROWS: readonly Row[] = [
  ['GET /api/conversations', 'tasks:read', [401, 200, 200, 200, 200]],
  [
    'POST /api/conversations',
    'tasks:write',
    [401, 404, 201, 201, 201],
    { body: async (scene) => ({ agent: await scene.agent(), provider: 'claude-code', prompt: 'hi' }) },
  ],
  ['GET /api/conversations/:id', 'tasks:read', [401, 404, 200, 200, 200], idle],
  [
    'PATCH /api/conversations/:id',
    'tasks:write',
    [401, 404, 403, 200, 200],
    { ...idle, body: () => ({ title: 'Walked' }) },
  ],
  ['DELETE /api/conversations/:id', 'tasks:write', [401, 404, 403, 204, 204], idle],
  ['POST /api/conversations/:id/fork', 'tasks:write', [401, 404, 201, 201, 201], { ...idle, body: () => ({}) }],
  ['POST /api/conversations/:id/interrupt', 'tasks:write', [401, 404, 403, 202, 202], busy],
  ['GET /api/conversations/:id/messages', 'tasks:read', [401, 404, 200, 200, 200], idle],
  [
    'POST /api/conversations/:id/messages',
    'tasks:write',
    [401, 404, 201, 201, 201],
    { ...busy, body: () => ({ text: 'Walk on' }) },
  ],
  ['GET /api/conversations/:id/queue', 'tasks:read', [401, 404, 200, 200, 200], busy],
  [
    'PATCH /api/conversations/:id/queue/:messageId',
    'tasks:write',
    [401, 404, 403, 200, 200],
    { ...busy, body: () => ({ position: 0 }) },
  ],
  ['DELETE /api/conversations/:id/queue/:messageId', 'tasks:write', [401, 404, 403, 204, 204], busy],
]
