/** Answers commands, buttons and forms within the three seconds that Discord allows. */
import type { REST } from '@discordjs/rest'
import type { ChatListener, Press } from '../chat/port.ts'
import { toChatError } from './faults.ts'
import type { Interaction } from './incoming.ts'
import { EPHEMERAL, hintBody, modalBody } from './payloads.ts'

/** Kinds of answers: a message; one that follows; none; a form. */
const [MESSAGE, MESSAGE_LATER, NOTHING, MODAL] = [4, 5, 6, 9]

interface Deps {
  readonly rest: REST
  readonly applicationId: string
  readonly listener: ChatListener
}

/** Rejects with a `ChatError` if Discord did not take the first answer. Then nothing is done. */
export const answerInteraction = async (deps: Deps, interaction: Interaction): Promise<void> => {
  const { rest, applicationId, listener } = deps
  const { kind, id, token, account, placeId, name, values } = interaction
  // These addresses have a token of their own.
  const call = async (act: Promise<unknown>): Promise<void> => {
    await act.catch((error: unknown) => Promise.reject(toChatError(error)))
  }
  const callback = (type: number, data?: object): Promise<void> =>
    call(rest.post(`/interactions/${id}/${token}/callback`, { auth: false, body: { type, ...(data && { data }) } }))
  const hook = `/webhooks/${applicationId}/${token}` as const
  const edit = (text: string): Promise<void> =>
    call(rest.patch(`${hook}/messages/@original`, { auth: false, body: hintBody(text) }))
  const follow = (text: string): Promise<void> => call(rest.post(hook, { auth: false, body: hintBody(text) }))

  const asked = { id, account, placeId }
  if (kind !== 'press') {
    await callback(MESSAGE_LATER, { flags: EPHEMERAL })
    if (kind === 'command') return listener.commanded({ ...asked, name, options: values, reply: edit })
    return listener.submitted({ ...asked, formId: name, values, reply: edit })
  }
  let isAnswered = false
  const first = (type: number, data?: object): Promise<void> => {
    isAnswered = true
    return callback(type, data)
  }
  const press: Press = {
    ...asked,
    buttonId: name,
    reply: (text) => (isAnswered ? follow(text) : first(MESSAGE, hintBody(text))),
    openForm: (form) => first(MODAL, modalBody(form)),
    accept: () => first(NOTHING),
  }
  return listener.pressed(press)
}
