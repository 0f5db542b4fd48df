import { useRouter } from 'vue-router'
import { forgetHooks } from '@/lib/changes/hooks.ts'
import { forgetQuoted } from '@/lib/conversations/quoted.ts'
import { forgetComments } from '@/lib/tasks/changes/comments.ts'
import { forgetPublishDrafts } from '@/lib/tasks/publish/kept.ts'
import { forgetAccepted } from '@/lib/tasks/changes/reviewed.ts'
import { forgetTasks } from '@/lib/tasks/new/kept.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useTerminalsStore } from '@/stores/agents/terminals.ts'
import { confirm } from '../useConfirm.ts'

/** The next user of this browser reads nothing of what it keeps. */
function forgetAll(): void {
  forgetTasks()
  forgetComments()
  forgetQuoted()
  forgetPublishDrafts()
  forgetAccepted()
  forgetHooks()
}

/** Signs out. Asks first if terminals are open, because they end. */
export function useSignOut() {
  const auth = useAuthStore()
  const terminals = useTerminalsStore()
  const router = useRouter()
  return async (): Promise<void> => {
    const sure =
      !terminals.anyConnected ||
      (await confirm({
        title: 'Sign out?',
        body: 'Your terminals close, and the programs in them end.',
        action: 'Sign out',
      }))
    if (!sure) return
    terminals.clear()
    if (await auth.logOut()) forgetAll()
    await router.push('/login')
  }
}
