import type { AnswerDialog, Dialog } from '@slipway/protocol'
import { http } from '../transport/client.ts'

const pathOf = (id: string): string => `/dialogs/${encodeURIComponent(id)}`

/** The open questions of agents that the user may see, the newest first. */
export const listOpenDialogs = () => http.request<Dialog[]>('GET', '/dialogs?state=open')
/** The questions of one task, the newest first. */
export const listDialogsOf = (taskId: string) =>
  http.request<Dialog[]>('GET', `/dialogs?${new URLSearchParams({ session: taskId })}`)
export const readDialog = (id: string) => http.request<Dialog>('GET', pathOf(id))
/**
 * The first answer counts: a second request changes nothing. `notice` is the push or the mail that led to it, which the
 * audit log records.
 */
export const answerDialog = (id: string, answer: AnswerDialog, notice?: string) => {
  const path = notice === undefined ? pathOf(id) : `/notices/${encodeURIComponent(notice)}`
  return http.request<Dialog>('POST', `${path}/answer`, answer, 'harmless')
}
/** Tells the agent that it gets no answer. */
export const cancelDialog = (id: string) => http.request<Dialog>('DELETE', pathOf(id))
