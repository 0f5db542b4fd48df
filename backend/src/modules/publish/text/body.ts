/** The text of a pull request: what a task did, and a report by Slipway that later turns replace. */
import { PULL_BODY_MAX, type Validation } from '@slipway/protocol'
import type { RunRow } from '../../runs/repository.ts'
import { evidenceOf } from './evidence.ts'

/** Longest part of a result and of a prompt in a proposed text. */
export const TEXT_MAX = 8_000
/** Shortest room for the words of a turn. With less, they are left out. */
const TURN_MIN = 200

/** A task whose work is proposed. */
export type Task = Pick<RunRow, 'id' | 'prompt' | 'result' | 'costUsd' | 'costEstimated'> &
  Pick<RunRow, 'filesChanged' | 'insertions' | 'deletions'>

/** What the turns of a conversation that have ended have cost. */
export interface TurnsCost {
  readonly turns: number
  /** In US dollars; null if it is unknown of each turn. */
  readonly costUsd: number | null
  readonly costEstimated: boolean
  /** How many of them have a cost that is unknown. */
  readonly unknown: number
}

/** What a proposal has besides its task. */
export interface SoFar {
  /** The newest one of the task or of its conversation. */
  readonly validation: Validation | null
  /** Null: the task is no turn of a conversation. */
  readonly cost: TurnsCost | null
}

/** Comments of Markdown around the report, which no reader of the pull request sees. The first one names the task. */
const beginOf = (id: string): string => `<!-- slipway ${id} -->`
const BEGIN = /<!-- slipway ([0-9a-f-]{36}) -->/g
const END = '<!-- /slipway -->'

/**
 * The text for the work of a task. `published` is the text that the pull request has, or null: it stays, with a new report,
 * and gets the words of the task unless the report in it is of this task.
 */
export const bodyOf = (task: Task, soFar: SoFar, published: string | null): string => {
  const { before, after, of } = partsOf(published ?? '')
  const report = [beginOf(task.id), reportOf(task, soFar), END].filter((part) => part !== '').join('\n\n')
  const room = PULL_BODY_MAX - before.length - after.length - report.length - 4
  // The text of a user is worth more than a report.
  if (room < 0) return (published ?? '').slice(0, PULL_BODY_MAX)
  const said = of === task.id ? '' : cut(wordsOf(task), room < TURN_MIN ? 0 : room)
  return [before, said, report].filter((part) => part !== '').join('\n\n') + after
}

/** A text before and after its report, and the task that the report is of. */
const partsOf = (published: string): { before: string; after: string; of: string | null } => {
  const text = published.replaceAll('\r\n', '\n')
  const begin = [...text.matchAll(BEGIN)].at(-1)
  const end = begin ? text.indexOf(END, begin.index) : -1
  return begin && end !== -1
    ? { before: text.slice(0, begin.index).trimEnd(), after: text.slice(end + END.length), of: begin[1] ?? null }
    : { before: text.trimEnd(), after: '', of: null }
}

/** What the agent said at the end, and what it was asked for. */
const wordsOf = ({ prompt, result }: Task): string => {
  const quoted = cut(prompt.trim(), TEXT_MAX)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')
  return [detailsOf(result), `The task:\n\n${quoted}`].filter((part) => part !== '').join('\n\n')
}

export const detailsOf = (result: string | null): string => (result === null ? '' : cut(result.trim(), TEXT_MAX))

const reportOf = (task: Task, { validation, cost }: SoFar): string => {
  const { filesChanged, insertions, deletions } = task
  const isOneOfMany = cost !== null && cost.turns > 1
  const changes =
    filesChanged === null || filesChanged === 0
      ? []
      : [
          `${isOneOfMany ? 'In the last turn: ' : ''}${plural(filesChanged, 'file')} changed, +${insertions ?? 0} −${deletions ?? 0}`,
        ]
  const facts = [...changes, ...(isOneOfMany ? costOfTurns(cost) : costOf(task, 'Cost'))]
  return (
    [facts.map((fact) => `- ${fact}`).join('\n'), validation ? evidenceOf(validation) : '']
      .filter((part) => part !== '')
      .join('\n\n')
      // Neither a command nor a message can end the report.
      .replaceAll('-->', '-- >')
      .replaceAll('<!--', '<! --')
  )
}

const costOf = ({ costUsd, costEstimated }: Pick<Task, 'costUsd' | 'costEstimated'>, what: string): string[] =>
  costUsd === null ? [] : [`${what}: ${costEstimated ? 'about ' : ''}$${costUsd.toFixed(2)}`]

const costOfTurns = (cost: TurnsCost): string[] =>
  costOf(cost, `Cost of ${cost.turns} turns`).map((line) =>
    cost.unknown === 0 ? line : `${line}, and ${plural(cost.unknown, 'turn')} without a known cost`,
  )

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

export const cut = (text: string, max: number): string =>
  text.length <= max ? text : max === 0 ? '' : `${text.slice(0, max - 1)}…`
