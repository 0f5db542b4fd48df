/** Prompt templates. */
import type { Scene } from '../scene/scene.ts'
import type { Row } from './row.ts'

const mine = { target: (scene: Scene) => scene.template(false) }
const platforms = { target: (scene: Scene) => scene.template(true) }
const body = (scene: Scene) => ({ name: scene.newName(), prompt: 'Fix {{ticket}}' })
const change = () => ({ prompt: 'Look at {{ticket}}' })

export const TEMPLATE_ROWS: readonly Row[] = [
  ['GET /api/prompt-templates', 'tasks:read', [401, 200, 200, 200, 200]],
  ['GET /api/prompt-templates/:id', 'tasks:read', [401, 200, 200, 200, 200], mine],
  ['POST /api/prompt-templates', 'tasks:write', [401, 201, 201, 201, 201], { body }],
  ['PATCH /api/prompt-templates/:id', 'tasks:write', [401, 200, 200, 200, 200], { ...mine, body: change }],
  ['DELETE /api/prompt-templates/:id', 'tasks:write', [401, 204, 204, 204, 204], mine],
  ['POST /api/platform/prompt-templates', 'none', [401, 403, 403, 403, 201], { body }],
  ['PATCH /api/platform/prompt-templates/:id', 'none', [401, 403, 403, 403, 200], { ...platforms, body: change }],
  ['DELETE /api/platform/prompt-templates/:id', 'none', [401, 403, 403, 403, 204], platforms],
]
