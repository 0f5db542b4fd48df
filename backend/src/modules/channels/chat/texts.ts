/** The words of messages into threads. Pure. */
import { formatAnswer, type Formatted } from '../format/answer.ts'
import { inline } from '../format/clean.ts'
import { LINE_MAX, TITLE_MAX } from './bounds.ts'
import type { Mark } from './port.ts'
import type { ToldRun } from './repository.ts'

export const NOT_LINKED =
  'Your account is not linked to a Slipway user. On your account page in Slipway, make a code. Then enter `/link` with it here.'

/** The message from which the thread of a conversation is made. */
export const starterText = (by: string, agent: string, prompt: string): string =>
  `${by} asks **${inline(agent, LINE_MAX)}**: ${inline(prompt, LINE_MAX)}`

export const threadTitle = (title: string): string => {
  const line = title.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return (line.length > TITLE_MAX ? `${line.slice(0, TITLE_MAX - 1).toWellFormed()}…` : line) || 'Conversation'
}

/** A message that came from elsewhere. */
export const elsewhereText = (by: string, text: string): string => `> ${by}: ${inline(text, LINE_MAX)}`

/** A message that was said to the CLI in a terminal. */
export const terminalText = (by: string, text: string): string => `> 💻 ${by}, in a terminal: ${inline(text, LINE_MAX)}`

/** What is posted when a run has ended. `error` is why its conversation is errored, or null. */
export const endOf = (run: ToldRun, error: string | null): Formatted => {
  const answer = formatAnswer(run.result ?? '')
  const isDone = run.state === 'completed'
  const why = isDone ? null : `❌ ${inline(error ?? run.error ?? 'The turn was ended.', LINE_MAX)}`
  const notes = [why, figuresOf(run), answer.file === null ? null : '-# The whole answer is in the file.']
  const note = notes.filter((part) => part !== null).join('\n')
  const chunks = answer.chunks.length === 0 && isDone ? ['Done, without an answer.'] : [...answer.chunks]
  return { chunks: note === '' ? chunks : [...chunks, note], file: answer.file }
}

/** What its gate found; null without one. */
const verdictOf = ({ validation, gateRepairs, repairs }: ToldRun): string | null => {
  if (gateRepairs === null || validation === null) return null
  const after = repairs === 0 ? '' : ` after ${repairs} ${repairs === 1 ? 'repair' : 'repairs'}`
  return `validation ${validation.replaceAll('_', ' ')}${after}`
}

const figuresOf = (run: ToldRun): string | null => {
  const { filesChanged, insertions, deletions, costUsd } = run
  const files = filesChanged
    ? `${filesChanged} ${filesChanged === 1 ? 'file' : 'files'} changed (+${insertions ?? 0} −${deletions ?? 0})`
    : null
  const cost = costUsd === null || costUsd === 0 ? null : `$${costUsd.toFixed(2)}`
  const figures = [files, verdictOf(run), cost].filter((figure) => figure !== null)
  return figures.length === 0 ? null : `-# ${figures.join(' · ')}`
}

/** What a reaction shows of a message. */
export const markOf = (state: string, run: Pick<ToldRun, 'state' | 'endedAt'> | null): Mark => {
  if (state === 'queued') return 'queued'
  if (state === 'released' || state === 'refused') return 'failed'
  if (state === 'steered' || !run) return 'done'
  if (run.endedAt === null) return run.state === 'queued' ? 'queued' : 'running'
  return run.state === 'completed' ? 'done' : 'failed'
}
