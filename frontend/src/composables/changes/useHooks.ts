import { computed, ref, shallowRef } from 'vue'
import { ApiError } from '@/api/transport/errors.ts'
import { keepHooks, type Refusal, refusalFrom, runsHooks } from '@/lib/changes/hooks.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'

/** Failures that stay on the page: they say what was printed, or what state the files are in. */
const KEPT: readonly string[] = ['GIT_FAILED', 'FILES_NOT_WRITTEN']

/** Whether the user lets the hooks and filters of a repository run, and what these printed as they refused the last act. */
export function useHooks(agentId: () => string, repository: () => string) {
  const userId = useAuthStore().user?.id ?? ''
  const changes = ref(0)
  const isOn = computed({
    get: () => changes.value >= 0 && runsHooks(userId, agentId(), repository()),
    set: (on: boolean) => {
      keepHooks(userId, agentId(), repository(), on)
      changes.value += 1
    },
  })
  const refusal = shallowRef<Refusal | null>(null)
  /** For the body of an act that hooks or filters belong to. */
  const asked = (): { runHooks?: true } => (isOn.value ? { runHooks: true } : {})
  /** Runs an act, and keeps what hooks printed that refused it. Throws every other failure. Resolves with whether it was done. */
  async function heard(what: string, act: () => Promise<unknown>): Promise<boolean> {
    refusal.value = null
    try {
      await act()
      return true
    } catch (error) {
      if (!(error instanceof ApiError) || !KEPT.includes(error.code)) throw error
      refusal.value = refusalFrom(what, error.message)
      return false
    }
  }
  return { isOn, refusal, asked, heard }
}
