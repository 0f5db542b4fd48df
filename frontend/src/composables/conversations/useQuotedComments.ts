import { useComments } from '@/composables/tasks/changes/useComments.ts'
import { keepQuoted, type QuotedComments, quotedOf } from '@/lib/conversations/quoted.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'

/** The comments on changes that the next message of a conversation quotes. This browser keeps which ones, as the draft. */
export function useQuotedComments(conversationId: string) {
  const userId = useAuthStore().user?.id ?? ''
  return {
    add({ taskId, ids }: QuotedComments): void {
      const known = quotedOf(userId, conversationId)
      const before = known.find((one) => one.taskId === taskId)?.ids ?? []
      const others = known.filter((one) => one.taskId !== taskId)
      if (ids.length > 0)
        keepQuoted(userId, conversationId, [...others, { taskId, ids: [...new Set([...before, ...ids])] }])
    },
    /** Removes the comments that a sent message quotes. The others may still be sent. */
    sent(text: string): void {
      const left = quotedOf(userId, conversationId).flatMap(({ taskId, ids }): QuotedComments[] => {
        const { comments, removeSent } = useComments(taskId)
        removeSent(ids, text)
        const unsent = ids.filter((id) => comments.value.some((comment) => comment.id === id))
        return unsent.length === 0 ? [] : [{ taskId, ids: unsent }]
      })
      keepQuoted(userId, conversationId, left)
    },
  }
}
