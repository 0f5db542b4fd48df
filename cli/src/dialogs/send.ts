/** Gives the platform an answer. */
import { isDeepStrictEqual } from 'node:util'
import type { Dialog } from '@slipway/protocol'
import { again, type Persistence } from '../api/again.ts'
import type { Client } from '../api/client.ts'
import { SlipwayError } from '../api/errors.ts'
import type { Reply } from './reply.ts'

type Given = Exclude<Reply, { kind: 'none' }>

const pathOf = (id: string): string => `/dialogs/${encodeURIComponent(id)}`

/** @throws {SlipwayError} `DIALOG_CLOSED` if another person was faster */
export const send = (client: Client, id: string, reply: Given): Promise<Dialog> => {
  const path = pathOf(id)
  return reply.kind === 'cancel'
    ? client.json<Dialog>('DELETE', path)
    : client.json<Dialog>('POST', `${path}/answer`, { body: reply.answer })
}

/**
 * The same, again while the server does not answer. An earlier try may have closed the question, which is no failure.
 *
 * @throws {SlipwayError} `DIALOG_CLOSED` if another person was faster
 */
export const sendSurely = async (client: Client, id: string, reply: Given, persistence: Persistence): Promise<void> => {
  const { signal } = persistence
  let tries = 0
  const attempt = (): Promise<Dialog> => {
    tries += 1
    return send(client, id, reply)
  }
  try {
    await again(attempt, persistence)
  } catch (error) {
    if (tries === 1 || !(error instanceof SlipwayError) || error.code !== 'DIALOG_CLOSED') throw error
    const look = (): Promise<Dialog> => client.json<Dialog>('GET', pathOf(id), { signal })
    if (!closesSo(await again(look, { signal, onLost: () => undefined }), reply)) throw error
  }
}

/** Whether the question was closed with this reply. */
const closesSo = ({ state, answer }: Dialog, reply: Given): boolean =>
  reply.kind === 'cancel' ? state === 'cancelled' : state === 'answered' && isDeepStrictEqual(answer, reply.answer)
