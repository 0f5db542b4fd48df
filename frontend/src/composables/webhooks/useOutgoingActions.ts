import type { CreatedWebhook, Webhook } from '@slipway/protocol'
import { deleteWebhook, rotateWebhook, updateWebhook } from '@/api/tasks/webhooks.ts'
import { useHookActions } from './useHookActions.ts'

/** What the page can do with an outgoing webhook. `put` and `drop` store the outcome. */
export const useOutgoingActions = (path: () => string, put: (webhook: Webhook) => void, drop: (id: string) => void) =>
  useHookActions<Webhook, CreatedWebhook>({
    update: (id, enabled) => updateWebhook(path(), id, { enabled }),
    rotate: (id) => rotateWebhook(path(), id),
    remove: (id) => deleteWebhook(path(), id),
    rotated: 'Messages are signed with the new secret from now on. The receiver must know it.',
    removed: 'Nothing more is sent to it. Its log of deliveries is deleted.',
    put,
    drop,
  })
