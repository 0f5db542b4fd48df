/** Texts of steps, of which the page keeps only the beginning if they are long. */

/** Longest text that a step shows whole, in UTF-16 code units. */
export const SHOWN_MAX = 8_192
/** The beginning of a longer text, in UTF-16 code units and in lines. */
const BEGINNING = 2_000
const BEGINNING_LINES = 40

export interface Cut {
  /** The text, or its beginning. */
  readonly text: string
  /** Length of the whole text, in UTF-16 code units. */
  readonly length: number
  readonly isCut: boolean
  /** Number of the event that has the whole text. */
  readonly seq: number
}

/** Copies the beginning, because a slice would keep the whole text in memory. */
const copied = (text: string): string => JSON.parse(JSON.stringify(text)) as string

export const cut = (text: string, seq: number): Cut =>
  text.length <= SHOWN_MAX
    ? { text, length: text.length, isCut: false, seq }
    : {
        text: copied(text.slice(0, BEGINNING).split('\n').slice(0, BEGINNING_LINES).join('\n')),
        length: text.length,
        isCut: true,
        seq,
      }
