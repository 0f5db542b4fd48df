/** Questions of agents to people, and the dashboard. */
import type { Scene } from '../scene/scene.ts'
import type { Row } from './row.ts'

/** A question of a task of the owner. */
const asked = { target: (scene: Scene) => scene.dialog() } as const

export const DIALOG_ROWS: readonly Row[] = [
  ['GET /api/dialogs', 'tasks:read', [401, 200, 200, 200, 200]],
  [
    'POST /api/dialogs',
    'tasks:write',
    [401, 404, 201, 201, 201],
    {
      body: async (scene: Scene) => ({
        agent: await scene.commonAgent(),
        title: 'Sure?',
        question: { kind: 'confirm' },
      }),
    },
  ],
  ['GET /api/dialogs/:id', 'tasks:read', [401, 404, 200, 200, 200], asked],
  [
    'POST /api/dialogs/:id/answer',
    'tasks:write',
    [401, 404, 403, 200, 200],
    { ...asked, body: () => ({ value: true }) },
  ],
  ['DELETE /api/dialogs/:id', 'tasks:write', [401, 404, 403, 200, 200], asked],
  ['GET /api/dashboard', 'tasks:read', [401, 200, 200, 200, 200]],
  [
    'PUT /api/dashboard/seen',
    'tasks:write',
    [401, 204, 204, 204, 204],
    { body: () => ({ until: new Date(0).toISOString() }) },
  ],
]
