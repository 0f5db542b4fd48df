import { onScopeDispose, ref, watch } from 'vue'
import { keepPublishDraft, publishDraftOf } from '@/lib/tasks/publish/kept.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import type { Repository } from './useRepository.ts'

const joined = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n\n')

/** A form of the message, as the page shows it. */
interface Shown {
  /** After the commit of a message. */
  readonly made: (sent: string) => void
  readonly look: () => void
}
/** The forms that the page shows, by user and place. */
const shown = new Map<string, Shown>()
/** The places where a commit is under way, with their users. Its form may be gone, and another one shown. */
const committing = new Set<string>()

/**
 * The message of the next commit, and the commit whose place it takes. What was typed before a change of both comes back.
 * The browser keeps all of it under the name `place` until the commit is made, so that the user may look elsewhere meanwhile.
 */
export function useCommit(of: Repository, place: string) {
  const userId = useAuthStore().user?.id ?? ''
  const key = `${userId} ${place}`
  const kept = publishDraftOf(userId, place)
  /** The commit that is amended; null: none. */
  const amended = ref(kept.amends ?? null)
  const message = ref((amended.value === null ? kept.body : kept.amendment) ?? '')
  /** The message before another one took its place; null: there is none to take back. */
  const before = ref(kept.before ?? null)
  /** What was typed before the amended commit's message came. */
  let typed = amended.value === null ? '' : (kept.body ?? '')
  /** The message of the amended commit, as it came. */
  let came = kept.came ?? ''
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
    if (last === null || amended.value !== null) return
    if (last.isAtRemote) {
      refusal.value = 'A remote has the last commit already, so it stays as it is.'
      return
    }
    typed = message.value
    amended.value = last.commit
    message.value = came = last.message
  }
  /** Ends the amending if another commit was made meanwhile, here or in the agent. What the user has typed stays. */
  function look(): void {
    const now = of.status.value?.commit
    if (amended.value === null || now === undefined || now === amended.value) return
    const changed = message.value === came ? '' : message.value
    void amend(false)
    message.value = joined(typed, changed)
  }
  function keep(): void {
    const amends = amended.value
    // The message of an amended commit is not what the user has typed.
    const text = amends === null ? message.value : typed
    keepPublishDraft(userId, place, {
      ...(text !== '' && { body: text }),
      ...(before.value !== null && { before: before.value }),
      ...(amends !== null && { amends, came, amendment: message.value }),
    })
  }
  watch([message, amended, before], keep)
  // The look after one's own commit comes before its answer.
  watch(
    () => of.status.value?.commit,
    () => committing.has(key) || look(),
    { immediate: true },
  )
  const form: Shown = { made, look }
  shown.set(key, form)
  onScopeDispose(() => {
    if (shown.get(key) === form) shown.delete(key)
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
    const sent = message.value
    committing.add(key)
    const isMade = await of.commit(sent.trim(), amended.value)
    committing.delete(key)
    // The user may have left the form meanwhile, or be in another one.
    const now = shown.get(key)
    if (!isMade) now?.look()
    else if (now === undefined) dropSent(sent)
    else now.made(sent)
  }
  /** What was typed before an amended commit is not used yet. Nor is what was typed while the commit was made. */
  function made(sent: string): void {
    const isAmending = amended.value !== null
    const since = message.value === sent || (isAmending && message.value === came) ? '' : message.value
    message.value = joined(!isAmending || typed === sent ? '' : typed, since)
    amended.value = null
    before.value = null
    typed = ''
  }
  function dropSent(sent: string): void {
    const { body, amends, amendment } = publishDraftOf(userId, place)
    if (amends === undefined ? body === sent : amendment === sent)
      keepPublishDraft(userId, place, amends !== undefined && body !== undefined ? { body } : {})
  }

  return { message, amended, before, refusal, amend, replace, takeBack, commit }
}

export type CommitMessage = ReturnType<typeof useCommit>
