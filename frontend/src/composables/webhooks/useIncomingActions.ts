import type { CreatedIncomingHook, IncomingHook } from '@slipway/protocol'
import { deleteIncoming, rotateIncoming, updateIncoming } from '@/api/tasks/webhooks.ts'
import { useHookActions } from './useHookActions.ts'

/** What the page can do with an incoming webhook. `put` and `drop` store the outcome. */
export const useIncomingActions = (put: (hook: IncomingHook) => void, drop: (id: string) => void) =>
  useHookActions<IncomingHook, CreatedIncomingHook>({
    update: (id, enabled) => updateIncoming(id, { enabled }),
    rotate: rotateIncoming,
    remove: deleteIncoming,
    rotated: 'Calls with the old secret are refused at once.',
    removed: 'Calls to its address are refused. The tasks that it started go on.',
    put,
    drop,
  })
