import { watchDebounced } from '@vueuse/core'
import { onScopeDispose, ref } from 'vue'
import { previewSchedule } from '@/api/tasks/schedules.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { type Problems, problemIn } from '@/lib/schedules/form.ts'

/** How long the user pauses before the server is asked, in milliseconds. */
const PAUSE_MS = 250

/** The next times of an expression while the user edits it. The last answer stays until the next one. */
export function usePreview(times: () => { readonly cron: string; readonly timezone: string }) {
  const nextRuns = ref<string[] | null>(null)
  /** What is wrong with one of the two fields. */
  const problems = ref<Problems>({})
  const error = ref<string | null>(null)
  /** The number of the newest request. Answers to earlier ones are too late. */
  let newest = 0

  async function load(): Promise<void> {
    const mine = (newest += 1)
    const { cron, timezone } = times()
    if (cron.trim() === '' || timezone.trim() === '') {
      show({ nextRuns: null })
      return
    }
    try {
      const answer = await previewSchedule({ cron: cron.trim(), timezone: timezone.trim() })
      if (mine === newest) show(answer)
    } catch (cause) {
      const message = messageOf(cause)
      if (mine === newest) show({ nextRuns: null, problems: problemIn(message), error: message })
    }
  }

  function show(answer: { nextRuns: string[] | null; problems?: Problems | null; error?: string }): void {
    nextRuns.value = answer.nextRuns
    problems.value = answer.problems ?? {}
    error.value = answer.problems ? null : (answer.error ?? null)
  }

  watchDebounced(times, load, { debounce: PAUSE_MS, deep: true })
  void load()
  onScopeDispose(() => (newest += 1))
  return { nextRuns, problems, error, load }
}
