import { ref, watch } from 'vue'
import { keepPublishDraft, publishDraftOf } from '@/lib/tasks/publish/kept.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import type { Repository } from './useRepository.ts'

/**
 * The message of the next commit, and the commit whose place it takes. What was typed before a change of both comes back.
 * The browser keeps it under the name `place` until the commit is made.
 */
export function useCommit(of: Repository, place: string) {
  const userId = useAuthStore().user?.id ?? ''
  const message = ref(publishDraftOf(userId, place).body ?? '')
  /** The commit that is amended; null: none. */
  const amended = ref<string | null>(null)
  /** The message before another one took its place; null: there is none to take back. */
  const before = ref<string | null>(null)
  /** What was typed before the amended commit's message came. */
  let typed = ''
  /** Why the last commit stays as it is. */
  const refusal = ref<string | null>(null)

  async function amend(wanted: boolean): Promise<void> {
    before.value = null
    refusal.value = null
    if (!wanted) {
      amended.value = null
      message.value = typed
      return
    }
    const last = await of.readLast()
    if (last === null) return
    if (last.isAtRemote) {
      refusal.value = 'A remote has the last commit already, so it stays as it is.'
      return
    }
    typed = message.value
    amended.value = last.commit
    message.value = last.message
  }
  // Another commit was made meanwhile, here or in the agent.
  watch(
    () => of.status.value?.commit,
    (now) => {
      if (amended.value !== null && now !== undefined && now !== amended.value) void amend(false)
    },
  )

  // The message of an amended commit is not what the user has typed.
  watch([message, amended], () => {
    const text = amended.value === null ? message.value : typed
    keepPublishDraft(userId, place, text === '' ? {} : { body: text })
  })

  function replace(written: string): void {
    before.value = message.value
    message.value = written
  }
  function takeBack(): void {
    message.value = before.value ?? message.value
    before.value = null
  }

  async function commit(): Promise<void> {
    const was = amended.value
    const sent = message.value
    if (!(await of.commit(sent.trim(), was))) return
    // What was typed before an amended commit is not used yet. Nor is what was typed while the commit was made.
    if (message.value === sent) message.value = was === null ? '' : typed
    amended.value = null
    before.value = null
    typed = ''
  }

  return { message, amended, before, refusal, amend, replace, takeBack, commit }
}
