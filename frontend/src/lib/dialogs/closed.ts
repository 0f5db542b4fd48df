/** What became of a question, in words. */
import type { Dialog } from '@slipway/protocol'

/** A closed question: who did what, and the text that was answered. */
export interface Closing {
  readonly words: string
  /** The answer, the reason of a denial, or the changed command. Null if there is none. */
  readonly text: string | null
  /** Whether the text is a command. */
  readonly isCommand: boolean
}

/** Null while it is open. `me` is the e-mail address of the reader. */
export function closingOf(dialog: Dialog, me: string | null): Closing | null {
  const who = dialog.closedBy === me && me !== null ? 'You' : (dialog.closedBy ?? 'Another user')
  const said = (words: string, text: string | null = null, isCommand = false): Closing => ({ words, text, isCommand })
  switch (dialog.state) {
    case 'open':
      return null
    case 'cancelled':
      return said(`${who} did not want to answer`)
    case 'expired':
      return said('Its time is over, which means no')
    case 'withdrawn':
      return said('The agent does not wait for an answer any more')
    case 'answered': {
      const { answer } = dialog
      if (answer === null) return said(`${who} answered`)
      if ('value' in answer) return said(`${who} answered`, textOf(dialog, answer.value))
      const often = answer.always === undefined ? '' : ', from now on'
      if (answer.decision === 'deny') return said(`${who} denied it${often}`, answer.reason?.trim() || null)
      if (answer.command === undefined) return said(`${who} allowed it${often || ' once'}`)
      return said(`${who} allowed another command`, answer.command, true)
    }
  }
}

/** A value as the reader knows it: by the labels of options and fields. */
function textOf({ question }: Dialog, value: unknown): string {
  if (question.kind === 'form' && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return question.fields
      .flatMap(({ name, label, options }) => {
        const one: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
        return one === undefined ? [] : [`${label || name}: ${labelOf(one, options)}`]
      })
      .join('\n')
  }
  return labelOf(value, question.kind === 'select' ? question.options : null)
}

function labelOf(value: unknown, options: readonly { value: string; label: string }[] | null): string {
  if (Array.isArray(value)) return value.map((one) => labelOf(one, options)).join(', ')
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return options?.find((option) => option.value === value)?.label ?? String(value)
}
