/** The questions of tasks, over the API. */
import type { AnswerDialog, Dialog } from '@slipway/protocol'
import { until } from '@slipway/testing'
import type { Client } from '../api.ts'

/** Longest time until a CLI asks on a busy machine, in milliseconds. */
const QUESTION_MS = 150_000

export const openDialogs = (client: Client, session: string): Promise<Dialog[]> =>
  client.ok<Dialog[]>('GET', `/dialogs?state=open&session=${session}`)

/** The question that a task waits with. */
export const asked = (client: Client, session: string): Promise<Dialog> =>
  until('the question', async () => (await openDialogs(client, session))[0] ?? false, QUESTION_MS)

/** Resolves once the answer is given. */
export const answer = (client: Client, { id }: Pick<Dialog, 'id'>, body: AnswerDialog): Promise<Dialog> =>
  client.ok<Dialog>('POST', `/dialogs/${id}/answer`, body)
