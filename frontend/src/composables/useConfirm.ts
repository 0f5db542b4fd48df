import { shallowRef } from 'vue'

/** A question before something that cannot be taken back. */
export interface Question {
  title: string
  body: string
  /** What the button does, in a word: never "OK". */
  action: string
  danger?: boolean
  /** The word to type before the button works, for what destroys data. */
  typed?: string
  /** What gets the keys afterwards; without it, what had them before. */
  thenFocus?: Element | null
}

interface Asked extends Question {
  answer: (yes: boolean) => void
}

/** The question that stands now; the dialog in the shell shows it. */
export const asked = shallowRef<Asked | null>(null)

/** Asks, and resolves with the answer. A question that is still open is answered with no. */
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
