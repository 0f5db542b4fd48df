/** Commands with the reason for their tier, one in a line after its reason. */
import { type Reason } from '../../../src/modules/dialogs/grading/reasons.ts'

export type GradedRow = readonly [reason: Reason, command: string]

/** The commands below their reasons, each in a line of its own. */
export const rowsOf = (lists: Partial<Readonly<Record<Reason, string>>>): GradedRow[] =>
  Object.entries(lists).flatMap(([reason, lines]) =>
    lines
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((line): GradedRow => [reason as Reason, line]),
  )
