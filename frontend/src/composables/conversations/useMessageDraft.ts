import { onScopeDispose, type Ref, ref, watch } from 'vue'
import { leftAfter } from '@/lib/conversations/draft.ts'
import { EMPTY_DRAFT } from '@/lib/tasks/new/draft.ts'
import { draftOf, keepDraft } from '@/lib/tasks/new/kept.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'

/** The texts of the fields that the page shows, by user and conversation. */
const shown = new Map<string, Ref<string>>()

/** The message that the user is writing in a conversation. This browser keeps it beside the drafts of tasks. */
export function useMessageDraft(conversationId: string) {
  const userId = useAuthStore().user?.id ?? ''
  const key = `conversation#${conversationId}`
  const place = `${userId} ${key}`
  const text = ref(draftOf(userId, key)?.prompt ?? '')
  // Only a conversation in which the user has written something takes a place among the drafts.
  const keep = (prompt: string): void => keepDraft(userId, key, { ...EMPTY_DRAFT, prompt })
  watch(text, keep, { flush: 'sync' })
  shown.set(place, text)
  onScopeDispose(() => {
    if (shown.get(place) === text) shown.delete(place)
  })
  return {
    text,
    /** Takes a message out that was sent. The user may have left the field meanwhile, or be back in another one. */
    sent(message: string): void {
      const field = shown.get(place)
      if (field !== undefined) field.value = leftAfter(message, field.value)
      else keep(leftAfter(message, draftOf(userId, key)?.prompt ?? ''))
    },
  }
}
