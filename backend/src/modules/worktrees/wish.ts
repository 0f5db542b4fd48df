/** Which tasks get a worktree in the mode `auto`. */
import type { WorktreeMode } from '@slipway/protocol'

/** What a run asks for: a worktree, one if others work in the same work tree, or none. */
export type Wish = 'always' | 'if_busy' | 'none'

/** A sentence, a line or an item that begins with the work itself, perhaps after a polite word. */
const BEGINS =
  /(?:^|[.!?:;\n]\s*|\n)\s*(?:[-*/>]\s*|\d+[.)]\s*)?(?:(?:please|then|now|first|next|and|can you|could you|would you|you should|let's|let us)[\s,]+)*(?:re-?)?(?:code[- ])?(?:review|rebase)\b/i
/** Or that does one. */
const DOES =
  /\b(?:do|make|give|perform|run|write|start)\b[^.!?\n]{0,40}\b(?:code |security |pull request |PR )?(?:review|rebase)\b(?! (?:page|form|button|component|screen|table))/i
/** How much of a prompt is looked at, in characters: what the work is stands at the beginning. */
const LOOKED_AT = 2000

/** Whether a prompt asks for a review or a rebase. */
export const asksForReview = (prompt: string): boolean => {
  const beginning = prompt.slice(0, LOOKED_AT)
  return BEGINS.test(beginning) || DOES.test(beginning)
}

export const wishOf = (mode: WorktreeMode, prompt: string): Wish => {
  if (mode === 'off') return 'none'
  return mode === 'always' || asksForReview(prompt) ? 'always' : 'if_busy'
}
