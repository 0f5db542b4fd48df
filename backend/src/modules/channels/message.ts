/** The words of pushes and mail. Pure. */
import { type Dialog, noticeOf, type PushMessage, terminalLine, titleLine } from '@slipway/protocol'
import type { WaitingTerminal } from './terminals.ts'

/** A question or a terminal to tell of, with the id of its message, which an answer to a question may name. */
export type Told = { readonly noticeId: string } & (
  | { readonly dialog: Dialog }
  | { readonly terminal: Pick<WaitingTerminal, 'agent' | 'isSystem' | 'needs'> }
)

/** All pushes of one device replace each other, as the notifications of its pages do. */
const TAG = 'slipway-needs-you'

const wordsOf = (told: Told): Pick<Dialog, 'agent' | 'title'> =>
  'dialog' in told ? told.dialog : { agent: told.terminal.agent, title: terminalLine(told.terminal.needs) }

/** A terminal has no answers of its own: its page shows it, and its user types there. */
const pathOf = (told: Told, choice?: string): string => {
  if ('terminal' in told) return told.terminal.isSystem ? '/system-agent' : `/agents/${told.terminal.agent}`
  const { noticeId, dialog } = told
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

/** A push about what waits, the newest first. */
export const pushOf = (told: readonly [Told, ...Told[]]): PushMessage => {
  const [newest, ...others] = told
  const kind = 'dialog' in newest && others.length === 0 ? newest.dialog.question.kind : null
  const choices = kind === null ? [] : (CHOICES[kind] ?? [])
  return {
    ...noticeOf([wordsOf(newest), ...others.map(wordsOf)]),
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

/** One mail about what waits, the newest first. */
export const mailOf = (told: readonly [Told, ...Told[]], baseUrl: string): Mail => {
  const [newest, ...others] = told
  const { title, body } = noticeOf([wordsOf(newest), ...others.map(wordsOf)])
  const parts = told.map((one) => {
    const { agent, title: asked } = wordsOf(one)
    return `${agent ?? 'An agent'}: ${titleLine(asked)}\n${baseUrl}${pathOf(one)}`
  })
  const why = `Slipway sends this mail because you turned on mail for questions. Change that at ${baseUrl}/account`
  return { subject: `${title}: ${body}`, text: [...parts, why].join('\n\n') + '\n' }
}
