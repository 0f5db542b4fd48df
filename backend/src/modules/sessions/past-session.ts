/** How a session ended that somebody comes back to too late: from what is recorded of it. */
import { CloseCode } from '@slipway/protocol'
import type { ProgramExit } from '../../runtime/port.ts'
import { connectionLost, disconnected, type Ending, endingOfExit, engineUnavailable } from './ending.ts'

/** What the database has of a session. */
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

/** Null stands for one of which nothing is recorded. */
export const pastEnding = (past: PastSession | null, agentName: string): Ending => {
  if (past === null) return connectionLost
  const { mode, endReason, exitCode } = past
  // Not ended, and yet not here: it is in a container that does not answer.
  if (endReason === null) return engineUnavailable
  if (CAUSES.includes(endReason))
    return endingOfExit(mode, agentName, { exitCode, cause: endReason as ProgramExit['cause'] })
  if (endReason === 'server_killed' || endReason === 'server_stopping') return lostWithServer
  if (endReason === 'disconnected') return { ...disconnected, message: 'This session was disconnected elsewhere.' }
  return connectionLost
}
