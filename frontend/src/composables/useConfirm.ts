import { shallowRef } from 'vue'

/** A question before an action that cannot be undone. */
export interface Question {
  title: string
  body: string
  /** Label of the button, one word, never "OK". */
  action: string
  danger?: boolean
  /** A second way, which a button offers. If the user takes it, the answer to the question is no. */
  other?: { label: string; chosen: () => void }
  /** A word that the user has to type first, for actions that destroy data. */
  typed?: string
  /** The element to focus afterwards. Without it, focus returns to where it was. */
  thenFocus?: Element | null
}

interface Asked extends Question {
  answer: (yes: boolean) => void
}

/** The open question, which the shell's dialog shows. */
export const asked = shallowRef<Asked | null>(null)

/** Asks a question and resolves with the answer. An earlier open question gets the answer no. */
export function confirm(question: Question): Promise<boolean> {
  asked.value?.answer(false)
  return new Promise((resolve) => {
    asked.value = {
      ...question,
      answer: (yes) => {
        asked.value = null
        resolve(yes)
      },
    }
  })
}
