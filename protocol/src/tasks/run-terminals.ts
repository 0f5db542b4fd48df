/** Terminals that continue the conversation of a run. */
import Type, { type Static } from 'typebox'
import { Nullable } from '../common.ts'

/** Where to open the terminal of a run's conversation. */
export const CodingTerminal = Type.Object({
  agent: Type.String(),
  /** The mode of the terminal. */
  mode: Type.String(),
  /** The working folder, an absolute path. */
  cwd: Type.String(),
  /** The CLI's own session. */
  cliSessionId: Type.String(),
  /** Your terminal that has the conversation already, or null. */
  sessionId: Nullable(Type.String()),
  /** The page with the terminal, as a path with its query. */
  page: Type.String(),
  /** The terminal's WebSocket, as a path with its query. */
  socket: Type.String(),
})
export type CodingTerminal = Static<typeof CodingTerminal>
