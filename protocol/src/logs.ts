/** What an agent's container wrote, and what happened to it, as one log. */
import Type, { type Static } from 'typebox'

/** What the platform itself tells of an agent. */
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
  /** RFC 3339 in UTC with nanoseconds: as text they sort by time. */
  at: Type.String(),
  /** `platform`: what happened to the agent; the others: what the first process of its container wrote. */
  source: Type.Union([Type.Literal('platform'), Type.Literal('stdout'), Type.Literal('stderr')]),
  /** Of `platform` only. */
  kind: Type.Optional(AgentEventKind),
  /** From the container it may hold anything, escape sequences too. Cut at 16,384 bytes. */
  text: Type.String(),
})
export type LogEntry = Static<typeof LogEntry>

/** Lines of a log's end that may be asked for, and those that come unasked. */
export const LOG_TAIL_MAX = 10_000
export const LOG_TAIL_DEFAULT = 200
/** A followed log says nothing for at most so long, in milliseconds: then an empty line comes, for proxies in between. */
export const LOG_HEARTBEAT_MS = 15_000
