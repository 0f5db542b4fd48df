/** An agent's log: its container's output and the platform's events. */
import Type, { type Static } from 'typebox'

/** The kinds of the platform's events. */
export const AgentEventKind = Type.Union([
  Type.Literal('creating'),
  Type.Literal('starting'),
  Type.Literal('started'),
  Type.Literal('stopping'),
  Type.Literal('stopped'),
  Type.Literal('failed'),
  Type.Literal('memory_kill'),
  Type.Literal('terminal_opened'),
  Type.Literal('terminal_closed'),
  Type.Literal('recording_lost'),
])
export type AgentEventKind = Static<typeof AgentEventKind>

/** One line of an agent's log. */
export const LogEntry = Type.Object({
  /** RFC 3339 in UTC with nanoseconds. Sorting the text sorts by time. */
  at: Type.String(),
  /** `platform`: an event of the agent; the others: output of the container's first process. */
  source: Type.Union([Type.Literal('platform'), Type.Literal('stdout'), Type.Literal('stderr')]),
  /** Only for `platform`. */
  kind: Type.Optional(AgentEventKind),
  /** Text from the container may contain anything, also escape sequences. Cut at 16,384 bytes. */
  text: Type.String(),
})
export type LogEntry = Static<typeof LogEntry>

/** Most lines from the end of a log, and their default number. */
export const LOG_TAIL_MAX = 10_000
export const LOG_TAIL_DEFAULT = 200
/**
 * Longest silence of a followed log, in milliseconds. Then an empty line follows, so that proxies keep the connection.
 */
export const LOG_HEARTBEAT_MS = 15_000
