import { useEventListener } from '@vueuse/core'
import { computed, getCurrentScope, shallowReactive } from 'vue'
import { randomId } from '@/lib/browser/randomId.ts'
import { putNewest } from '@/lib/newest.ts'
import {
  COMMENTS_MAX,
  commentsOf,
  type DiffComment,
  isOfComments,
  keepComments,
  quotedIn,
  TASKS_MAX,
} from '@/lib/tasks/changes/comments.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'

/** Most texts that the page keeps while the user writes them. The oldest one is dropped. */
const WRITTEN_MAX = 100

/** The comments on the tasks that the page has shown last, by user and task: at most {@link TASKS_MAX}. */
const ofTasks = shallowReactive(new Map<string, readonly DiffComment[]>())
/** What the user is writing, by user, task and what it is: the forms come and go with the lines that are drawn. */
const written = shallowReactive(new Map<string, string>())

/** The comments on a task that are not sent yet. */
export function useComments(task: string) {
  const userId = useAuthStore().user?.id ?? ''
  const key = `${userId} ${task}`
  putNewest(ofTasks, key, commentsOf(userId, task), TASKS_MAX)
  const comments = computed(() => ofTasks.get(key) ?? [])
  const writtenFor = (what: string): string | null => written.get(`${key} ${what}`) ?? null

  /** A comment that is being changed stays in sight, also if it was sent or removed meanwhile. */
  function show(): void {
    const stored = commentsOf(userId, task)
    const isHalfWritten = ({ id }: DiffComment): boolean =>
      writtenFor(id) !== null && !stored.some((comment) => comment.id === id)
    ofTasks.set(key, [...stored, ...comments.value.filter(isHalfWritten)])
  }
  if (getCurrentScope() !== undefined)
    useEventListener('storage', (event) => {
      if (isOfComments(event)) show()
    })

  /** Another tab may have changed others, so the change begins with what is stored. */
  function keep(change: (stored: readonly DiffComment[]) => readonly DiffComment[]): void {
    keepComments(userId, task, change(commentsOf(userId, task)))
    show()
  }
  return {
    comments,
    isFull: computed(() => comments.value.length >= COMMENTS_MAX),
    /** Whether there was room for it. */
    add: (comment: Omit<DiffComment, 'id'>): boolean => {
      const id = randomId()
      keep((stored) => (stored.length < COMMENTS_MAX ? [...stored, { id, ...comment }] : stored))
      return comments.value.some((one) => one.id === id)
    },
    /** A comment with another text is another one: a message that quotes the earlier one does not remove it. */
    edit: (id: string, text: string): void => {
      const shown = comments.value.find((comment) => comment.id === id)
      if (shown === undefined || shown.text === text) return
      const edited = { ...shown, id: randomId(), text }
      keep((stored) =>
        stored.some((comment) => comment.id === id)
          ? stored.map((comment) => (comment.id === id ? edited : comment))
          : [...stored, edited].slice(-COMMENTS_MAX),
      )
    },
    remove: (id: string): void => keep((stored) => stored.filter((comment) => comment.id !== id)),
    /** Removes those that a sent text quotes. */
    removeSent: (ids: readonly string[], sent: string): void =>
      keep((stored) => {
        const gone = quotedIn(
          stored.filter(({ id }) => ids.includes(id)),
          sent,
        )
        return stored.filter((comment) => !gone.includes(comment))
      }),

    /** What the user is writing, by the file or the comment that it is for. Null: nothing. */
    writtenFor,
    write: (what: string, text: string | null): void => {
      if (text !== null) return putNewest(written, `${key} ${what}`, text, WRITTEN_MAX)
      written.delete(`${key} ${what}`)
      show()
    },
  }
}

export type Comments = ReturnType<typeof useComments>
