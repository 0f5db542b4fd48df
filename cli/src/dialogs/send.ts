/** Gives the platform an answer. */
import type { Dialog } from '@slipway/protocol'
import type { Client } from '../api/client.ts'
import type { Reply } from './reply.ts'

/** @throws {SlipwayError} `DIALOG_CLOSED` if another person was faster */
export const send = (client: Client, id: string, reply: Exclude<Reply, { kind: 'none' }>): Promise<Dialog> => {
  const path = `/dialogs/${encodeURIComponent(id)}`
  return reply.kind === 'cancel'
    ? client.json<Dialog>('DELETE', path)
    : client.json<Dialog>('POST', `${path}/answer`, { body: reply.answer })
}
