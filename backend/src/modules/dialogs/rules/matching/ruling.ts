/** What the rules of people say about an approval. Pure. */
import { posix } from 'node:path'
import type { QuestionOf, RuleCovers, RuleDecision, RuleOwner } from '@slipway/protocol'
import { gradeLine } from '../../grading/line.ts'
import { reasonOfPath } from '../../grading/paths.ts'
import type { Tier } from '../../grading/reasons.ts'
import { isReadingTool } from '../../grading/tools.ts'
import { allowsCommand, deniesCommand, gravestOf } from './command.ts'

export interface Rule {
  readonly of: RuleOwner
  readonly decision: RuleDecision
  readonly covers: RuleCovers
}

/** What a CLI asks for. */
export type Asked = Pick<QuestionOf<'approval'>, 'tool' | 'command' | 'path' | 'tier'>

/** Where and how it is asked. */
export interface Asking {
  /** The working folder, an absolute path. */
  readonly folder: string
  /** The highest tier that needs no rule where it stands beside a command that has one. */
  readonly passes: Tier
}

export interface Ruling<R extends Rule> {
  readonly decision: RuleDecision
  /** The rules that decide. */
  readonly rules: readonly R[]
}

/** Null: no rule is about it, or not about all of it. A rule that denies wins. */
export const rulingOf = <R extends Rule>(asked: Asked, asking: Asking, rules: readonly R[]): Ruling<R> | null => {
  const denying = rules.find((rule) => rule.decision === 'deny' && denies(rule.covers, asked, asking))
  if (denying) return { decision: 'deny', rules: [denying] }
  const allowing = allowingOf(
    asked,
    asking,
    rules.filter(({ decision }) => decision === 'allow'),
  )
  return allowing && allowing.length > 0 ? { decision: 'allow', rules: allowing } : null
}

/** The absolute path of the file that is changed; null if none is. */
export const changedPath = ({ tool, command, path }: Asked, folder: string): string | null =>
  command !== null || path === null || isReadingTool(tool) ? null : posix.resolve(folder, path)

const isIn = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`)

const denies = (covers: RuleCovers, asked: Asked, { folder }: Asking): boolean => {
  switch (covers.kind) {
    case 'tool':
      return covers.tool === asked.tool
    case 'path': {
      const path = changedPath(asked, folder)
      return path !== null && isIn(path, covers.path)
    }
    case 'command':
      return asked.command !== null && gradeLine(asked.command).commands.some((one) => deniesCommand(covers, one))
  }
}

/** Null: not everything is allowed. */
const allowingOf = <R extends Rule>(asked: Asked, { folder, passes }: Asking, rules: readonly R[]): R[] | null => {
  if (asked.tier > 2) return null
  if (asked.command !== null) return allowingCommand(asked.command, passes, rules)
  const path = changedPath(asked, folder)
  const rule = rules.find(({ covers }) =>
    path === null
      ? covers.kind === 'tool' && covers.tool === asked.tool
      : covers.kind === 'path' && allowsPath(covers.path, path),
  )
  return rule === undefined ? null : [rule]
}

const allowingCommand = <R extends Rule>(command: string, passes: Tier, rules: readonly R[]): R[] | null => {
  const line = gradeLine(command)
  if (gravestOf(line.others) > passes) return null
  const used = new Set<R>()
  // What a command runs itself counts as a part of it.
  for (const one of line.commands.filter(({ isDirect }) => isDirect)) {
    const rule = rules.find(({ covers }) => covers.kind === 'command' && allowsCommand(covers, one, line))
    if (rule) used.add(rule)
    else if (gravestOf(one.reasons) > passes) return null
  }
  return [...used]
}

/** A rule for a folder does not cover the files in it that decide what later commands do. */
const allowsPath = (ruled: string, path: string): boolean =>
  isIn(path, ruled) && (reasonOfPath(path) !== 'settings' || reasonOfPath(ruled) === 'settings')
