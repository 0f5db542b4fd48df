/** The words of notifications about what waits for a user: open questions, and terminals. The page, pushes and mail have the same ones. */
import type { Dialog } from '../dialogs/dialogs.ts'
import type { TerminalNeed } from '../events.ts'
import type { NotificationKind } from './notifications.ts'

/**
 * Control characters, and characters without a shape. A line feed, a tab, and the joiner within a picture character are
 * as they should be.
 */
const HIDDEN =
  /(?<!\p{Extended_Pictographic}\ufe0f?)\u200d|(?![\n\t\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029\u3164\uffa0]/gu

/** A text on which a user decides: each character without a shape is in sight. */
export const withHiddenInSight = (text: string): string => text.replace(HIDDEN, '\ufffd')

/** Longest text of an agent in a notification, in UTF-16 code units. */
const TEXT_MAX = 120

export const noticeKindOf = ({ question }: Pick<Dialog, 'question'>): NotificationKind =>
  question.kind === 'approval' ? 'approvals' : 'questions'

/** What a terminal whose program waits is called in a notification. */
export const terminalLine = (needs: TerminalNeed): string =>
  needs === 'permission' ? 'Your terminal asks for a permission' : 'Your terminal has a question'

/** The title of a question in one line, cut. */
export const titleLine = (title: string): string => {
  const text = withHiddenInSight(title.replaceAll(/\s+/g, ' '))
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text
}

type Told = Pick<Dialog, 'title' | 'agent'>

/** The words of a notification about open questions, the newest first. Texts of agents are only its body. */
export function noticeOf([newest, ...others]: readonly [Told, ...Told[]]): { title: string; body: string } {
  const body = titleLine(newest.title)
  if (others.length > 0) return { title: `${others.length + 1} need you`, body }
  return { title: newest.agent === null ? 'An agent needs you' : `${newest.agent} needs you`, body }
}
