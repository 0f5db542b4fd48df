/** Approval rules in words. The texts in them are foreign. */
import { commandText, type RuleCovers } from '@slipway/protocol'
import { withHiddenInSight } from '@/lib/format/directions.ts'

/** What a rule is about: a word, and a part of code. */
export interface RuleWords {
  readonly before: string
  readonly code: string
}

export function wordsOf(covers: RuleCovers): RuleWords {
  switch (covers.kind) {
    case 'command': {
      const code = withHiddenInSight(commandText(covers.words))
      return covers.exact ? { before: 'exactly', code } : { before: '', code: `${code} …` }
    }
    case 'path':
      return { before: 'changes of', code: withHiddenInSight(covers.path) }
    case 'tool':
      return { before: 'the tool', code: withHiddenInSight(covers.tool) }
  }
}

/** The same as one text. */
export function textOf(covers: RuleCovers): string {
  const { before, code } = wordsOf(covers)
  return `${before} ${code}`.trim()
}
