/** What a task does, for people or for scripts. */
import type { CodingSession, CodingSessionDiff, RunEvent } from '@slipway/protocol'
import { jsonLine } from '../ui/lines.ts'
import { plain, plainLine } from './plain.ts'

/** Where a report goes: a stream, or what stands before one. */
export interface Sink {
  write(text: string): unknown
}

export interface Report {
  /** The task that is followed, before everything else. */
  session(session: CodingSession): void
  event(event: RunEvent): void
  ended(session: CodingSession): void
  diff(diff: CodingSessionDiff): void
}

/** One JSON value in each line: the task, its events as the API has them, the task at its end, and its diff. */
export const jsonReport = (stream: Sink): Report => {
  const write = (value: object): void => void stream.write(`${jsonLine(value)}\n`)
  return {
    session: (session) => write({ type: 'session', session }),
    event: write,
    ended: (session) => write({ type: 'ended', session }),
    diff: (diff) => write({ type: 'diff', diff }),
  }
}

/** Sentences and steps. */
export const textReport = (stream: Sink): Report => {
  const write = (text: string): void => void stream.write(`${plain(text).trimEnd()}\n`)
  return {
    session: () => undefined,
    event: (event) => {
      const text = inWords(event)
      if (text !== null) write(text)
    },
    ended: (session) => write(endInWords(session)),
    diff: ({ files, truncated }) => {
      for (const { patch, path } of files) write(patch ?? `${path}: the diff is not shown`)
      if (truncated) write('The diff is longer than this.')
    },
  }
}

/** Null for what people need not see, such as a result whose text has come before. */
const inWords = (event: RunEvent): string | null => {
  switch (event.type) {
    case 'text':
      return event.text
    case 'tool_call':
      return `● ${plainLine(event.name)}`
    case 'command':
      if (event.state === 'started') return `$ ${event.command}`
      return event.exitCode === null || event.exitCode === 0 ? null : `  exit code ${event.exitCode}`
    case 'file_change':
      return `● ${event.change} ${plainLine(event.path)}`
    case 'status':
      return event.status === 'started' ? null : `· ${event.message}`
    case 'validation':
    case 'limit':
      return `· ${event.message}`
    case 'question':
      return `? ${event.title}`
    case 'answer':
      return `! ${event.by ?? 'Slipway'}: ${event.text}`
    case 'error':
      return `✗ ${event.message}`
    case 'thinking':
    case 'tool_result':
    case 'plan':
    case 'usage':
    case 'result':
      return null
  }
}

const endInWords = ({ state, reason, error, costUsd, costEstimated }: CodingSession): string => {
  const cost = costUsd === null ? '' : ` (${costEstimated ? '≈ ' : ''}$${costUsd.toFixed(2)})`
  return state === 'completed' ? `✓ completed${cost}` : `✗ ${error ?? reason ?? state}${cost}`
}
