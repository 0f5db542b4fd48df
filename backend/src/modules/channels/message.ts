/** The words of pushes and mail. Pure. */
import { type Dialog, noticeOf, type PushMessage, titleLine } from '@slipway/protocol'

/** A question to tell of, with the id of its message, which an answer may name. */
export interface Told {
  readonly noticeId: string
  readonly dialog: Dialog
}

/** All pushes of one device replace each other, as the notifications of its pages do. */
const TAG = 'slipway-needs-you'

const pathOf = ({ noticeId, dialog }: Told, choice?: string): string => {
  const query = new URLSearchParams({ notice: noticeId, ...(choice !== undefined && { choice }) })
  return `/questions/${dialog.id}?${query.toString()}`
}

/** The buttons of a question with two answers. Each opens its page, where a second tap answers. */
const CHOICES: Partial<Record<Dialog['question']['kind'], readonly (readonly [choice: string, title: string])[]>> = {
  approval: [
    ['allow', 'Allow once'],
    ['deny', 'Deny'],
  ],
  confirm: [
    ['yes', 'Yes'],
    ['no', 'No'],
  ],
}

/** A push about open questions, the newest first. */
export const pushOf = (told: readonly [Told, ...Told[]]): PushMessage => {
  const [newest, ...others] = told
  const choices = others.length > 0 ? [] : (CHOICES[newest.dialog.question.kind] ?? [])
  return {
    ...noticeOf([newest.dialog, ...others.map(({ dialog }) => dialog)]),
    tag: TAG,
    // The start page lists all of them.
    path: others.length > 0 ? '/' : pathOf(newest),
    actions: choices.map(([action, title]) => ({ action, title, path: pathOf(newest, action) })),
  }
}

export const TEST_PUSH: PushMessage = {
  title: 'Slipway',
  body: 'Pushes reach this device.',
  tag: 'slipway-test',
  path: '/account',
  actions: [],
}

/** A mail as it is sent. */
export interface Mail {
  readonly subject: string
  readonly text: string
}

/** One mail about open questions, the newest first. */
export const mailOf = (told: readonly [Told, ...Told[]], baseUrl: string): Mail => {
  const [newest, ...others] = told
  const { title, body } = noticeOf([newest.dialog, ...others.map(({ dialog }) => dialog)])
  const parts = told.map((one) => {
    const { agent, title: asked } = one.dialog
    return `${agent ?? 'An agent'}: ${titleLine(asked)}\n${baseUrl}${pathOf(one)}`
  })
  const why = `Slipway sends this mail because you turned on mail for questions. Change that at ${baseUrl}/account`
  return { subject: `${title}: ${body}`, text: [...parts, why].join('\n\n') + '\n' }
}
