/** What a person's answer in a {@link Ui} means for the platform's question. */
import type { AnswerDialog, DialogOption } from '@slipway/protocol'
import type { Outcome, SelectOption, UiErrorCode } from '../ui/ui.ts'

/** What becomes of the question. `none`: it stays open, for other people too. */
export type Reply =
  | { readonly kind: 'answer'; readonly answer: AnswerDialog }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'none'; readonly error: UiErrorCode; readonly message: string }

/** A cancelled answer cancels the question, and without an answer it stays open. Neither is a yes. */
export const replyOf = <T>(outcome: Outcome<T>, answerWith: (value: T) => AnswerDialog): Reply => {
  if (!outcome.ok) return { kind: 'none', error: outcome.error, message: outcome.message }
  return outcome.value === null ? { kind: 'cancel' } : { kind: 'answer', answer: answerWith(outcome.value) }
}

/** An option of the platform as a {@link Ui} takes it. */
export const optionOf = ({ value, label, description }: DialogOption): SelectOption => ({
  value,
  label,
  ...(description === null ? {} : { description }),
})
