import { ref } from 'vue'
import { useAttempt } from './useAttempt.ts'

/** Runs one action at a time for each row of a list, and shows a toast if it fails. */
export function useBusyRows() {
  const attempt = useAttempt()
  /** Ids of rows with an action under way. */
  const busy = ref(new Set<string>())

  /** Resolves with whether it succeeded. */
  async function act({ id }: { readonly id: string }, failure: string, doIt: () => Promise<unknown>): Promise<boolean> {
    if (busy.value.has(id)) return false
    busy.value.add(id)
    try {
      return await attempt(failure, doIt)
    } finally {
      busy.value.delete(id)
    }
  }

  return { busy, act }
}
