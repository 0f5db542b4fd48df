/** Webhooks, outgoing and incoming. */
import type { Scene } from '../scene/scene.ts'
import type { Needs, Row } from './row.ts'

/** Rows of outgoing webhooks of one owner. A caller may do all of it or nothing. */
const webhookRows = (base: string, scopes: readonly [list: Needs, manage: Needs], ...refusals: number[]): Row[] => {
  const platform = base.includes('platform')
  const target = { target: (scene: Scene) => scene.webhook(platform) }
  const [url, kinds] = ['https://hooks.example.org/', ['task.ended']]
  const [list, manage] = scopes
  return (
    [
      [`GET ${base}`, list, 200, {}],
      [`POST ${base}`, manage, 201, { body: () => ({ name: 'Walked', url, kinds }) }],
      [`GET ${base}/:id`, list, 200, target],
      [`PATCH ${base}/:id`, manage, 200, { ...target, body: () => ({ name: 'Walked on' }) }],
      [`DELETE ${base}/:id`, manage, 204, target],
      [`POST ${base}/:id/rotate`, manage, 'WRONG_STATE', target],
      [`POST ${base}/:id/test`, manage, 200, target],
      [`GET ${base}/:id/deliveries`, list, 200, target],
      [`POST ${base}/:id/deliveries/:delivery/again`, manage, 200, target],
    ] as const
  ).map(([route, needs, answer, asking]): Row => {
    const [nobody = answer, stranger = answer, sharee = answer, owner = answer] = refusals
    return [route, needs, [nobody, stranger, sharee, owner, answer], asking]
  })
}
/** An incoming webhook of the caller in an agent of the owner. */
const called = { target: (scene: Scene) => scene.incomingHook() }

export const WEBHOOK_ROWS: readonly Row[] = [
  ...webhookRows('/api/webhooks', ['tasks:read', 'tasks:read tasks:write'], 401),
  ...webhookRows('/api/platform/webhooks', ['none', 'none'], 401, 403, 403, 403),
  ['GET /api/incoming-webhooks', 'tasks:read', [401, 200, 200, 200, 200]],
  [
    'POST /api/incoming-webhooks',
    'tasks:read tasks:write',
    [401, 404, 201, 201, 201],
    { body: async (scene) => ({ agent: await scene.agent(), name: 'Walked', source: 'github', prompt: 'hi' }) },
  ],
  ['GET /api/incoming-webhooks/:id', 'tasks:read', [401, 200, 200, 200, 200], called],
  [
    'PATCH /api/incoming-webhooks/:id',
    'tasks:read tasks:write',
    [401, 200, 200, 200, 200],
    { ...called, body: () => ({ enabled: false }) },
  ],
  ['DELETE /api/incoming-webhooks/:id', 'tasks:read tasks:write', [401, 204, 204, 204, 204], called],
  ['POST /api/incoming-webhooks/:id/rotate', 'tasks:read tasks:write', [401, 200, 200, 200, 200], called],
  ['POST /api/hooks/:id', 'public', [404, 404, 404, 404, 404], called],
]
