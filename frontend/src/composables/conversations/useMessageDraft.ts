import { ref, watch } from 'vue'
import { EMPTY_DRAFT } from '@/lib/tasks/new/draft.ts'
import { draftOf, keepDraft } from '@/lib/tasks/new/kept.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'

/** The message that the user is writing in a conversation. This browser keeps it beside the drafts of tasks. */
export function useMessageDraft(conversationId: string) {
  const userId = useAuthStore().user?.id ?? ''
  const key = `conversation#${conversationId}`
  const text = ref(draftOf(userId, key)?.prompt ?? '')
  // Only a conversation in which the user has written something takes a place among the drafts.
  watch(text, (prompt) => keepDraft(userId, key, { ...EMPTY_DRAFT, prompt }))
  return text
}
