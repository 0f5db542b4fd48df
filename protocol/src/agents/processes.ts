/** The processes that are left in an agent's container. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../common.ts'

/** A process in the container outside every open terminal session. */
export const AgentProcess = Type.Object({
  pid: Type.Integer(),
  ppid: Type.Integer(),
  /** The command line, cut to 1,024 characters. The text comes from the container, so do not trust it. */
  command: Type.String(),
  startedAt: Nullable(Timestamp),
  /** Resident memory in bytes. */
  memoryBytes: Type.Integer(),
  /** Whether it ignores the hang-up signal, for example because of `nohup`. */
  ignoresHangup: Type.Boolean(),
  /** The terminal session that started it, if its environment names a session of this agent. */
  origin: Nullable(
    Type.Object({
      sessionId: Type.String(),
      mode: Type.String(),
      email: Type.String(),
      startedAt: Timestamp,
      endedAt: Nullable(Timestamp),
    }),
  ),
})
export type AgentProcess = Static<typeof AgentProcess>
