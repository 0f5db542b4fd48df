import { computed, shallowReactive } from 'vue'
import { randomId } from '@/lib/browser/randomId.ts'
import { COMMENTS_MAX, commentsOf, type DiffComment, keepComments, TASKS_MAX } from '@/lib/tasks/changes/comments.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'

/** The comments on the tasks that the page has shown last, by user and task: at most {@link TASKS_MAX}. */
const ofTasks = shallowReactive(new Map<string, readonly DiffComment[]>())

/** The comments on a task that are not sent yet. */
export function useComments(task: string) {
  const userId = useAuthStore().user?.id ?? ''
  const key = `${userId} ${task}`
  ofTasks.delete(key)
  ofTasks.set(key, commentsOf(userId, task))
  for (const [oldest] of ofTasks) if (ofTasks.size > TASKS_MAX) ofTasks.delete(oldest)
  const comments = computed(() => ofTasks.get(key) ?? [])

  function keep(next: readonly DiffComment[]): void {
    ofTasks.set(key, next)
    keepComments(userId, task, next)
  }
  return {
    comments,
    isFull: computed(() => comments.value.length >= COMMENTS_MAX),
    add: (comment: Omit<DiffComment, 'id'>): void => keep([...comments.value, { id: randomId(), ...comment }]),
    edit: (id: string, text: string): void =>
      keep(comments.value.map((comment) => (comment.id === id ? { ...comment, text } : comment))),
    remove: (id: string): void => keep(comments.value.filter((comment) => comment.id !== id)),
    removeAll: (ids: readonly string[]): void => keep(comments.value.filter(({ id }) => !ids.includes(id))),
  }
}

export type Comments = ReturnType<typeof useComments>
