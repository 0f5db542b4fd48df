import { computed, shallowRef } from 'vue'
import { acceptedBy, keepAccepted } from '@/lib/tasks/changes/reviewed.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'

/** The changes that the user has accepted, by their marks. */
export function useAccepted() {
  const userId = useAuthStore().user?.id ?? ''
  const marks = shallowRef(acceptedBy(userId))
  const set = computed(() => new Set(marks.value))
  return {
    has: (all: readonly string[]): boolean => all.every((mark) => set.value.has(mark)),
    accept: (changed: readonly string[], isAccepted: boolean): void => {
      // Another tab may have accepted others.
      const others = acceptedBy(userId).filter((mark) => !changed.includes(mark))
      marks.value = isAccepted ? [...others, ...changed] : others
      keepAccepted(userId, marks.value)
    },
  }
}

export type Accepted = ReturnType<typeof useAccepted>
