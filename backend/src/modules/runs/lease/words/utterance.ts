/** What is said in one entry of the file of a CLI. */
import type { Fields } from '../../../providers/headless/parts/json.ts'

/** What one entry of a file says. */
export interface Utterance {
  readonly by: 'user' | 'cli'
  /** In milliseconds since 1970; NaN if the entry does not tell. */
  readonly at: number
  readonly text: string
}

/** Reads one entry of a CLI's file. Null: nothing is said in it, or not by a user or the CLI. */
export type ReadEntry = (entry: Fields) => Utterance | null
