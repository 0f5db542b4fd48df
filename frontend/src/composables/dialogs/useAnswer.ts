import type { AnswerDialog, Dialog } from '@slipway/protocol'
import { ref } from 'vue'
import { answerDialog, cancelDialog } from '@/api/dialogs/dialogs.ts'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useDialogsStore } from '@/stores/dialogs/dialogs.ts'

/** Answers a question of an agent, once at a time. `notice` is the push or the mail that led to it. */
export function useAnswer(dialog: () => Dialog, notice: () => string | undefined = () => undefined) {
  const dialogs = useDialogsStore()
  const auth = useAuthStore()
  const busy = ref(false)
  const error = ref<string | null>(null)
  /** Why an answer came too late, as the server says it. */
  const late = ref<string | null>(null)

  async function attempt(send: (id: string) => Promise<Dialog>): Promise<void> {
    if (busy.value) return
    const { id } = dialog()
    busy.value = true
    error.value = null
    // Its event may come before the response.
    dialogs.answeredHere.add(id)
    try {
      dialogs.put(await send(id))
    } catch (cause) {
      dialogs.answeredHere.delete(id)
      if (cause instanceof ApiError && cause.code === 'DIALOG_CLOSED') {
        await dialogs.refresh(id)
        // The response to this user's own answer was lost, and the second request came after the first.
        if (dialogs.find(id)?.closedBy !== auth.user?.email) late.value = cause.message
      } else error.value = messageOf(cause)
    } finally {
      busy.value = false
    }
  }

  /** The server keeps a notice for some days only, and for its own user, but the question may still be open. */
  async function sendAnswer(id: string, answer: AnswerDialog): Promise<Dialog> {
    try {
      return await answerDialog(id, answer, notice())
    } catch (cause) {
      if (notice() === undefined || !(cause instanceof ApiError) || cause.code !== 'NOT_FOUND') throw cause
      return await answerDialog(id, answer)
    }
  }

  return {
    busy,
    error,
    late,
    answer: (answer: AnswerDialog) => attempt((id) => sendAnswer(id, answer)),
    cancel: () => attempt(cancelDialog),
  }
}
