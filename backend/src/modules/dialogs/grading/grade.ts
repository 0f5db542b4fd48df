/**
 * Grades a command of a shell by the damage that it can do. Every simple command in it counts, and what is not understood
 * counts as more. It informs people and decides when they are asked. It is no boundary: the agent's container is that.
 */
import { gradeLine } from './line.ts'
import { type Reason, REASONS, type Tier, tierOf } from './reasons.ts'

/** Most sentences of a grade. */
const REASONS_MAX = 6

export interface Grade {
  readonly tier: Tier
  /** Sentences for users, the gravest first. */
  readonly reasons: readonly string[]
}

export const grade = (command: string): Grade => {
  const { commands, others } = gradeLine(command)
  const found = new Set(others)
  for (const { reasons } of commands) for (const reason of reasons) found.add(reason)
  return gradeOf(found)
}

const gradeOf = (found: Iterable<Reason>): Grade => {
  const reasons = [...found].sort((a, b) => tierOf(b) - tierOf(a))
  const [gravest = 'reads'] = reasons
  const tier = tierOf(gravest)
  // What is less grave than the rest explains nothing.
  const told = reasons.filter((reason) => tierOf(reason) === tier || tierOf(reason) > 1).slice(0, REASONS_MAX)
  return { tier, reasons: (told.length > 0 ? told : [gravest]).map((reason) => REASONS[reason][1]) }
}
