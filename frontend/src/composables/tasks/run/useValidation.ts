import type { CodingSession, Validation, ValidationState } from '@slipway/protocol'
import { computed, ref, shallowRef, watch } from 'vue'
import { cancelValidation, readValidation, startValidation } from '@/api/tasks/tasks.ts'
import { ApiError } from '@/api/transport/errors.ts'
import { isActive } from '@/lib/tasks/taskState.ts'
import { isOpen } from '@/lib/tasks/validation.ts'
import { useAttempt } from '@/composables/requests/useAttempt.ts'
import { usePolling } from '@/composables/requests/usePolling.ts'

/** How often a validation that runs is asked for, in milliseconds. */
const EVERY_MS = 2_000

/**
 * The validation of a task, and how to start and to end it. `gate` is what the last event about it says, while a task has to
 * pass it.
 */
export function useValidation(
  id: string,
  task: () => CodingSession | null,
  gate: () => { readonly id: number; readonly state: ValidationState } | null,
) {
  const attempt = useAttempt()
  const isBusy = ref(false)
  const validation = shallowRef<Validation | null>(null)
  const hasEnded = computed(() => {
    const now = task()
    return now !== null && !isActive(now.state)
  })
  /** Whether the network or the server had no answer when it was read last. */
  const isUnread = ref(false)
  /** Whether its verdict is to come, as far as is known. */
  const isAwaited = (): boolean => {
    if (isUnread.value) return true
    const state = validation.value?.state ?? task()?.validation ?? null
    if (!hasEnded.value) return gate()?.state === 'running'
    return state !== null && isOpen(state)
  }
  const read = async (): Promise<void> => {
    try {
      validation.value = await readValidation(id)
      isUnread.value = false
    } catch (cause) {
      isUnread.value = cause instanceof ApiError && cause.transient
      throw cause
    }
  }
  const { refresh } = usePolling(read, EVERY_MS, isAwaited)
  // Also one that is over, or that was asked for with the task.
  watch(
    () => (task()?.validation ?? null) !== null,
    (has) => has && void refresh(),
    { immediate: true },
  )
  watch(
    () => gate()?.id,
    (event) => event !== undefined && void refresh(),
  )

  async function act(failure: string, request: (id: string) => Promise<Validation>): Promise<void> {
    isBusy.value = true
    const isDone = await attempt(failure, async () => {
      validation.value = await request(id)
    })
    // The request may have reached the server although its answer is lost.
    if (!isDone) void refresh()
    isBusy.value = false
  }
  return {
    validation,
    isBusy,
    validate: () => act('Could not start the validation', startValidation),
    cancel: () => act('Could not end the validation', cancelValidation),
  }
}
