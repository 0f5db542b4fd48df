/** What the tools answer: a few lines of facts, then the words of the CLI. */
import {
  type Agent,
  type CodingAgentStatus,
  type CodingResult,
  type CodingSession,
  TOOL_ANSWER_MAX,
} from '@slipway/protocol'
import { SECOND_MS } from '../../lib/time/clock.ts'

/** The answer of a tool. */
export interface Answer {
  readonly text: string
  /** The tool did not do what it was asked for, or the task did not complete. */
  readonly isError: boolean
}

/** Longest prompt, and longest answer of a CLI, in a list, in UTF-16 code units. */
const SUMMARY_MAX = 200
/** What the facts of one task in a list may take, in UTF-16 code units. */
const FACTS_MAX = 160

/** The beginning of a text. It does not end within a surrogate pair. */
const beginning = (text: string, max: number): string => text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')

/** A text in one line. A longer one is cut. */
const inOneLine = (text: string, max: number): string => {
  const line = beginning(text, 2 * max)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length <= max ? line : `${beginning(line, max - 1)}…`
}

/** The text, or as much of it as an answer may have. `where` says where the rest is. */
export const fit = (text: string, where: string): string => {
  if (text.length <= TOOL_ANSWER_MAX) return text
  const note = `\n\n[This answer has ${text.length} characters, and is cut. ${where}]`
  return beginning(text, TOOL_ANSWER_MAX - note.length) + note
}

const inSeconds = (ms: number): string => `${Math.round(ms / SECOND_MS)} s`

const place = ({ provider, agent }: Pick<CodingSession, 'provider' | 'agent'>): string =>
  `${provider} in ${agent ?? 'a deleted agent'}`

/** A line about the changes, if they are known. */
const changesOf = ({ changesDetected, filesChanged, insertions, deletions }: CodingResult): string[] => {
  if (changesDetected === null) return []
  if (!changesDetected) return ['Files changed: none.']
  return [`Files changed: ${filesChanged ?? 0}, with ${insertions ?? 0} lines added and ${deletions ?? 0} removed.`]
}

const costOf = ({ costUsd, costEstimated }: CodingResult): string[] =>
  costUsd === null ? [] : [`Cost: ${costUsd.toFixed(4)} US dollars${costEstimated ? ', estimated' : ''}.`]

/** A task that has ended. */
export const ofResult = (result: CodingResult): Answer => {
  const { id, success, reason, error, output, durationMs, cwd } = result
  const lines = [
    `Task ${id} ${success ? 'completed' : `did not complete (${reason})`}. It took ${inSeconds(durationMs)}: ${place(result)}, folder ${cwd}.`,
    ...(error === null ? [] : [error]),
    ...changesOf(result),
    ...costOf(result),
    ...(output === '' ? ['The CLI gave no answer.'] : ['The answer of the CLI:', '', output]),
  ]
  return { text: fit(lines.join('\n'), `GET /api/coding-agents/results/${id} has all of it.`), isError: !success }
}

/** What a task does that has not ended. */
const doing = ({ state, continuesAt }: CodingSession): string => {
  switch (state) {
    case 'queued':
      return 'waits in line'
    case 'waiting':
      return `waits for the end of a usage limit${continuesAt === null ? '' : `, until ${continuesAt}`}`
    case 'starting':
      return 'is starting'
    default:
      return 'is running'
  }
}

/** A task that has not ended: how to get its result. */
export const ofActive = (session: CodingSession): Answer => ({
  text: `Task ${session.id} ${doing(session)}: ${place(session)}. It goes on by itself. Call get_task_result with result_id "${session.id}" to wait for its result.`,
  isError: false,
})

/** The line of a task in a list. `max` is what its prompt, and its answer, may take. */
const listed = (task: CodingSession | CodingResult, max: number): string => {
  const facts =
    'success' in task
      ? `${task.success ? 'completed' : task.reason} after ${inSeconds(task.durationMs)}`
      : `${doing(task)} since ${task.createdAt}`
  const answer = 'success' in task ? (task.error ?? task.output) : ''
  const said = answer === '' || max === 0 ? '' : ` | ${inOneLine(answer, max)}`
  return `${task.id}: ${facts}, ${place(task)}${max === 0 ? '' : `: ${inOneLine(task.prompt, max)}${said}`}`
}

/** A list of tasks, with as much of their texts as an answer may have. */
export const ofTasks = (tasks: readonly (CodingSession | CodingResult)[]): Answer => {
  if (tasks.length === 0) return { text: 'You have no tasks.', isError: false }
  const max = Math.min(SUMMARY_MAX, Math.floor((TOOL_ANSWER_MAX / tasks.length - FACTS_MAX) / 2))
  const lines = tasks.map((task) => listed(task, Math.max(0, max)))
  return { text: fit(lines.join('\n'), 'Ask for fewer tasks.'), isError: false }
}

const ofAgent = ({ name, state, runtime, model }: Agent): string =>
  `${name}: ${state}, its own CLI is ${runtime}${model === null ? '' : ` with the model ${model}`}`

const ofCli = (status: CodingAgentStatus): string => {
  const { provider, displayName, installed, configured, version, ptyAvailable, installCommand, defaultModel } = status
  const facts = [
    installed
      ? `installed${version === null ? '' : ` (${version})`}`
      : `not installed${installCommand === null ? '' : `; to install it: ${installCommand}`}`,
    configured ? 'configured' : 'not configured: it has neither a key nor a sign-in',
    ...(ptyAvailable ? ['runs in a terminal, too'] : []),
    ...(defaultModel === null ? [] : [`model ${defaultModel}`]),
  ]
  return `${provider} (${displayName}): ${facts.join(', ')}`
}

/** Agents, and the coding CLIs of one of them. */
export const ofAgents = (agents: readonly Agent[], clis: readonly CodingAgentStatus[], of: string | null): Answer => {
  if (agents.length === 0 && of === null) return { text: 'You have no agents.', isError: false }
  const lines = [
    ...(agents.length === 0 ? [] : ['Agents:', ...agents.map(ofAgent)]),
    ...(of === null ? [] : [`Coding CLIs of ${of}:`, ...clis.map(ofCli)]),
  ]
  return { text: fit(lines.join('\n'), 'Name one agent.'), isError: false }
}
