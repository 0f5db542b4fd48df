/** The form of an approval rule. */
import { type CreateApprovalRule, entriesOf, type RuleCovers, type RuleDecision } from '@slipway/protocol'

/** A rule as its form edits it. */
export interface RuleDraft {
  decision: RuleDecision
  kind: RuleCovers['kind']
  /** The command, the path or the name of the tool. */
  text: string
  /** Whether the command has no further words. */
  exact: boolean
  /** Its last day, as `2026-11-26`; empty: it has no end. */
  until: string
}

export const EMPTY_RULE: Readonly<RuleDraft> = { decision: 'allow', kind: 'command', text: '', exact: false, until: '' }

function coversOf({ kind, text, exact }: RuleDraft): RuleCovers {
  const trimmed = text.trim()
  switch (kind) {
    case 'command':
      return { kind, words: [...(entriesOf(trimmed) ?? [])], exact }
    case 'path':
      return { kind, path: trimmed }
    case 'tool':
      return { kind, tool: trimmed }
  }
}

/** The request that makes the rule. It ends with its last day, as the user's clock has it. */
export function ruleBody(draft: RuleDraft): CreateApprovalRule {
  const { decision, until } = draft
  const ends = until === '' ? {} : { expiresAt: new Date(`${until}T23:59:59.999`).toISOString() }
  return { decision, covers: coversOf(draft), ...ends }
}

/** What is wrong with the text of a rule before it is sent; null: nothing. */
export function ruleProblem({ kind, text }: RuleDraft): string | null {
  const trimmed = text.trim()
  if (kind === 'path') return /^\/./.test(trimmed) ? null : 'Write an absolute path, such as /home/developer/app.'
  if (trimmed === '') return kind === 'tool' ? 'Write the name of the tool.' : 'Write the words of the command.'
  if (kind === 'command' && entriesOf(trimmed) === null) return 'A quote is not closed.'
  return null
}
