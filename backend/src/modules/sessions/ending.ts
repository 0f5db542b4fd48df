/** How a session ends: the reason for programs, the sentence for users and the close code for the socket. */
import { CloseCode, type EndReason, TERMINAL_MESSAGE } from '@slipway/protocol'
import type { ProgramExit } from '../../runtime/program.ts'
import type { Loss } from '../access/loss.ts'
import { type Revocation, sentenceFor } from '../identity/revocations.ts'
import { labelOf } from '../providers/catalogue.ts'

export interface Ending {
  readonly reason: EndReason
  readonly message: string
  readonly code: CloseCode
  readonly exitCode?: number
}

/** A shell's exit code for a missing program. */
const NOT_FOUND = 127

/** The ending of a session whose program exited or was killed. */
export const endingOfExit = (mode: string, agentName: string, { cause, exitCode }: ProgramExit): Ending => {
  const label = labelOf(mode)
  const withCode = exitCode === null ? {} : { exitCode }
  switch (cause) {
    case 'out_of_memory':
      return {
        reason: 'out_of_memory',
        message: `${label} was ended because the agent ran out of memory. Give the agent more in its settings.`,
        code: CloseCode.NORMAL,
        ...withCode,
      }
    case 'container_stopped':
      return { ...containerStopped(agentName), ...withCode }
    case 'engine_unavailable':
      return engineUnavailable
    case 'exited': {
      const message =
        exitCode === NOT_FOUND
          ? `${label} could not be started: it is not in this agent's image, or something that it needs is missing (exit code 127).`
          : `${label} ended (exit code ${exitCode ?? 'unknown'}).`
      return { reason: 'exited', message, code: CloseCode.NORMAL, ...withCode }
    }
  }
}

export const containerStopped = (agentName: string): Ending => ({
  reason: 'container_stopped',
  message: `Agent '${agentName}' was stopped.`,
  code: CloseCode.NOT_RUNNING,
})

export const agentDeleted = (agentName: string): Ending => ({
  reason: 'agent_deleted',
  message: `Agent '${agentName}' was deleted.`,
  code: CloseCode.NOT_RUNNING,
})

export const engineUnavailable: Ending = {
  reason: 'engine_unavailable',
  message: 'The container engine does not answer. Connect again in a moment.',
  code: CloseCode.INTERNAL,
}

export const serverStopping: Ending = {
  reason: 'server_stopping',
  message: 'The server is stopping. Connect again when it is back.',
  code: CloseCode.GOING_AWAY,
}

export const shareTaken: Ending = {
  reason: 'access_revoked',
  message: 'This agent is no longer shared with you.',
  code: CloseCode.FORBIDDEN,
}

export const nowShared: Ending = {
  reason: 'now_shared',
  message:
    'This agent is shared now. This terminal had a credential of your own, which the other users could have read. ' +
    'Connect again to continue without it.',
  code: CloseCode.FORBIDDEN,
}

/** For a client with an API token. The session continues, and its user can sign in and reconnect. */
export const personalCredential: Ending = {
  reason: 'personal_credential',
  message: "This terminal holds a user's own credential, so API tokens may not open it. Sign in instead.",
  code: CloseCode.FORBIDDEN,
}

/** The ending of a session whose user lost the right to it. */
export const endingOfLoss = (loss: Loss): Ending => {
  switch (loss.kind) {
    case 'revoked':
      return revokedBy(loss.revocation)
    case 'unshared':
      return shareTaken
    case 'shared':
      return nowShared
    case 'deleted':
      return agentDeleted(loss.agentName)
    case 'stopped':
      return loss.because === 'agent_deleted' ? agentDeleted(loss.agentName) : containerStopped(loss.agentName)
  }
}

/** Whether the user lost access. If so, the server sends them no more output. */
export const takesAccess = ({ reason }: Ending): boolean => reason === 'access_revoked'

/** Signing in again helps only if a sign-in was revoked. The close codes tell clients which it is. */
export const revokedBy = (revocation: Revocation): Ending => ({
  reason: 'access_revoked',
  message: sentenceFor(revocation),
  code: revocation.kind === 'sign_in' ? CloseCode.UNAUTHENTICATED : CloseCode.FORBIDDEN,
})

/** The client disconnected by itself, so no client shows this sentence. */
export const disconnected: Ending = { reason: 'disconnected', message: 'Disconnected.', code: CloseCode.NORMAL }
/** Its user did not reconnect in time. */
export const connectionLost: Ending = {
  reason: 'connection_lost',
  message: 'No client reconnected in time.',
  code: CloseCode.NORMAL,
}

/** Sent to the socket that lost its session to another socket. `by` is null if the client itself reconnected. */
export const takenOver = (by: string | null): Ending => ({
  reason: 'taken_over',
  message: by === null ? 'You reconnected over another connection.' : `${by} took over this terminal elsewhere.`,
  code: CloseCode.SESSION_EXISTS,
})

export const failedToStart = (mode: string, detail: string): Ending => ({
  reason: 'failed_to_start',
  message: `${labelOf(mode)} could not be started: ${detail}`,
  code: CloseCode.INTERNAL,
})

export const notRunning = (agentName: string): Ending => ({
  reason: 'container_stopped',
  message: TERMINAL_MESSAGE.notRunning(agentName),
  code: CloseCode.NOT_RUNNING,
})
