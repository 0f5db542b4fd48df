import { useRouter } from 'vue-router'
import { forgetHooks } from '@/lib/changes/hooks.ts'
import { forgetComments } from '@/lib/tasks/changes/comments.ts'
import { forgetPublishDrafts } from '@/lib/tasks/publish/kept.ts'
import { forgetAccepted } from '@/lib/tasks/changes/reviewed.ts'
import { forgetTasks } from '@/lib/tasks/new/kept.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useTerminalsStore } from '@/stores/agents/terminals.ts'
import { confirm } from '../useConfirm.ts'

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
    await auth.logOut()
    forgetTasks()
    forgetComments()
    forgetPublishDrafts()
    forgetAccepted()
    forgetHooks()
    await router.push('/login')
  }
}
