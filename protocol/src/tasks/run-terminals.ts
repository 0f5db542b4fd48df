/** Terminals that continue the conversation of a run. */
import Type, { type Static } from 'typebox'
import { Nullable } from '../common.ts'

/** Where to open the terminal of a run's conversation, or of a run that has a terminal. */
export const CodingTerminal = Type.Object({
  agent: Type.String(),
  /** The mode of the terminal. */
  mode: Type.String(),
  /** The working folder, an absolute path. */
  cwd: Type.String(),
  /** The CLI's own session; null if an interactive run's CLI has not named it. */
  cliSessionId: Nullable(Type.String()),
  /** Your terminal that has it already, or null. */
  sessionId: Nullable(Type.String()),
  /** The page with the terminal, as a path with its query. */
  page: Type.String(),
  /** The terminal's WebSocket, as a path with its query. */
  socket: Type.String(),
})
export type CodingTerminal = Static<typeof CodingTerminal>
