/** How a session ended to which a user reconnects too late, from its record. */
import { CloseCode } from '@slipway/protocol'
import type { ProgramExit } from '../../../runtime/program.ts'
import { connectionLost, disconnected, type Ending, endingOfExit, engineUnavailable } from '../ending.ts'

/** A session as the database has it. */
export interface PastSession {
  readonly mode: string
  readonly endReason: string | null
  readonly exitCode: number | null
}

const CAUSES: readonly string[] = ['exited', 'out_of_memory', 'container_stopped'] satisfies ProgramExit['cause'][]

const lostWithServer: Ending = {
  reason: 'connection_lost',
  message: 'The server was restarted, and this session could not be saved.',
  code: CloseCode.NORMAL,
}

/** `past` is null if the session has no record. */
export const pastEnding = (past: PastSession | null, agentName: string): Ending => {
  if (past === null) return connectionLost
  const { mode, endReason, exitCode } = past
  // It has not ended, but this backend does not have it: its container does not answer.
  if (endReason === null) return engineUnavailable
  if (CAUSES.includes(endReason))
    return endingOfExit(mode, agentName, { exitCode, cause: endReason as ProgramExit['cause'] })
  if (endReason === 'server_killed' || endReason === 'server_stopping') return lostWithServer
  if (endReason === 'disconnected') return { ...disconnected, message: 'This session was disconnected elsewhere.' }
  return connectionLost
}
