/** Pushes, mail, and answers that come from them. */
import type { Scene } from '../scene/scene.ts'
import { PUSH_KEYS } from '../scene/account.ts'
import type { Row } from './row.ts'

/** A device of the caller. */
const device = { target: (scene: Scene) => scene.deviceOfCaller() }
/** A channel of the agent. */
const channels = { body: () => ({ channels: ['123456789012345678'] }) }
/** A subscription at an address where nothing answers. */
const subscription = { endpoint: 'https://127.0.0.1:1/push', ...PUSH_KEYS }

export const CHANNEL_ROWS: readonly Row[] = [
  ['GET /api/notifications', 'none', [401, 200, 200, 200, 200]],
  ['POST /api/notifications/devices', 'none', [401, 201, 201, 201, 201], { body: () => subscription }],
  ['DELETE /api/notifications/devices/:id', 'none', [401, 204, 204, 204, 204], device],
  ['POST /api/notifications/devices/:id/test', 'none', [401, 200, 200, 200, 200], device],
  ['GET /api/users/me/discord', 'none', [401, 200, 200, 200, 200]],
  ['POST /api/users/me/discord/code', 'none', [401, 201, 201, 201, 201]],
  [
    'DELETE /api/users/me/discord',
    'none',
    [401, 204, 204, 204, 204],
    { target: (scene) => scene.chatAccountOfCaller() },
  ],
  ['GET /api/agents/:name/discord', 'agents:read', [401, 404, 200, 200, 200]],
  ['PUT /api/agents/:name/discord', 'agents:write terminal', [401, 404, 403, 200, 200], channels],
  // A message to the caller about a question of the owner's task: it gives no right to answer.
  [
    'POST /api/notices/:id/answer',
    'tasks:write',
    [401, 404, 403, 200, 200],
    { target: (scene) => scene.noticeOfCaller(), body: () => ({ value: true }) },
  ],
]
