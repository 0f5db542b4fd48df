import { CloseCode, END_REASONS, type EndReason, TERMINAL_MESSAGE, TERMINALS_PER_USER_MAX } from '@slipway/protocol'
import type { SessionEnd } from './session.ts'

/** What the user can do after an end. */
export type WayOut = 'connect' | 'take-over' | 'start' | 'sign-in' | 'none'

/** An end in words: what happened, and what to do. */
export interface Explanation {
  tone: 'neutral' | 'warning' | 'error'
  title: string
  detail: string | null
  wayOut: WayOut
}

const SESSION_GONE = 'The program in this terminal has ended.'

/** Control characters, which neither a program nor a server should have in a text. */
const CONTROL = /\p{Cc}+/gu
const sentence = (text: string | undefined): string | null => text?.replace(CONTROL, ' ').trim() || null

type Explain = (program: string, end: SessionEnd) => Explanation

const REASONS: Partial<Record<EndReason, Explain>> = {
  exited: (program, end) => {
    const exitCode = end.frame?.exitCode
    return {
      tone: exitCode === 0 || exitCode === undefined ? 'neutral' : 'warning',
      title: exitCode === undefined ? `${program} ended.` : `${program} ended (exit code ${exitCode}).`,
      detail: null,
      wayOut: 'connect',
    }
  },
  out_of_memory: (program) => ({
    tone: 'error',
    title: `${program} was killed: the agent ran out of memory.`,
    detail: 'Increase its memory in Settings, or run fewer programs at once.',
    wayOut: 'connect',
  }),
  container_stopped: () => ({
    tone: 'warning',
    title: 'The agent was stopped.',
    detail: SESSION_GONE,
    wayOut: 'start',
  }),
  agent_deleted: () => ({ tone: 'warning', title: 'The agent was deleted.', detail: null, wayOut: 'none' }),
  access_revoked: (_program, end) =>
    end.code === CloseCode.UNAUTHENTICATED
      ? {
          tone: 'error',
          title: 'Your sign-in has ended.',
          detail: sentence(end.frame?.message) ?? SESSION_GONE,
          wayOut: 'sign-in',
        }
      : {
          tone: 'error',
          title: 'Your access to this agent was revoked.',
          detail: sentence(end.frame?.message) ?? 'Ask its owner if you still need it.',
          wayOut: 'none',
        },
  now_shared: () => ({
    tone: 'warning',
    title: 'This agent is shared now.',
    detail:
      'The terminal held your own credential, which others could have read. Connect again to continue without it.',
    wayOut: 'connect',
  }),
  personal_credential: (_program, end) => ({
    tone: 'error',
    title: 'This terminal holds a personal credential.',
    detail: sentence(end.frame?.message) ?? 'Sign in to use it.',
    wayOut: 'sign-in',
  }),
  taken_over: (_program, end) => ({
    tone: 'warning',
    title: 'This terminal was taken over.',
    detail: sentence(end.frame?.message) ?? 'It continues in another tab or on another device.',
    wayOut: 'take-over',
  }),
  server_stopping: () => ({
    tone: 'warning',
    title: 'Slipway is restarting.',
    detail: `${SESSION_GONE} Connect again in a moment.`,
    wayOut: 'connect',
  }),
  engine_unavailable: () => ({
    tone: 'error',
    title: 'The container engine does not answer.',
    detail: 'Try again in a moment. If this continues, ask an admin to check the server.',
    wayOut: 'connect',
  }),
  connection_lost: (program, end) => ({
    tone: 'warning',
    title: `The connection to ${program} was lost.`,
    detail: sentence(end.frame?.message) ?? SESSION_GONE,
    wayOut: 'connect',
  }),
  failed_to_start: (program, end) => ({
    tone: 'error',
    title: `Could not start ${program}.`,
    detail: sentence(end.frame?.message),
    wayOut: 'connect',
  }),
}

/** The refusals of one more terminal, for each number that an agent may allow. */
const TOO_MANY = new Set(
  Array.from({ length: TERMINALS_PER_USER_MAX }, (_, below) => TERMINAL_MESSAGE.tooManyTerminals(below + 1)),
)

const CODES: Partial<Record<number, Explain>> = {
  [CloseCode.GOING_AWAY]: (program, end) => REASONS.server_stopping!(program, end),
  [CloseCode.UNAUTHENTICATED]: (_program, end) => ({
    tone: 'error',
    title: 'Your sign-in has expired.',
    detail: sentence(end.frame?.message),
    wayOut: 'sign-in',
  }),
  [CloseCode.SESSION_EXISTS]: (_program, end) => {
    const title = sentence(end.frame?.message) ?? TERMINAL_MESSAGE.sessionExists
    return TOO_MANY.has(title)
      ? { tone: 'warning', title: `${title}.`, detail: 'Close another one first.', wayOut: 'connect' }
      : { tone: 'warning', title, detail: 'It is open in another tab or on another device.', wayOut: 'take-over' }
  },
  [CloseCode.FORBIDDEN]: (_program, end) => ({
    tone: 'error',
    title: sentence(end.frame?.message) ?? 'You do not have access to this agent.',
    detail: 'Ask its owner to share it with you.',
    wayOut: 'none',
  }),
  [CloseCode.NOT_RUNNING]: (_program, end) => ({
    tone: 'warning',
    title: sentence(end.frame?.message) ?? 'The agent is not running.',
    detail: null,
    wayOut: 'start',
  }),
  [CloseCode.INTERNAL]: (program, end) => ({
    tone: 'error',
    title: sentence(end.frame?.message) ?? `An internal error of the server ended ${program}.`,
    detail: null,
    wayOut: 'connect',
  }),
}

/** Without an error from the server, the connection was lost. */
function lost(end: SessionEnd): Explanation {
  return end.wasConnected
    ? { tone: 'error', title: 'Connection lost.', detail: SESSION_GONE, wayOut: 'connect' }
    : {
        tone: 'error',
        title: 'Could not reach the terminal.',
        detail: 'Check your connection, then connect again.',
        wayOut: 'connect',
      }
}

/** Explains an end. Null if the user asked for it. `program` is the label of the program. */
export function explainEnd(end: SessionEnd, program: string): Explanation | null {
  if (end.by !== 'server') return null
  const reason = END_REASONS.find((known) => known === end.frame?.reason)
  const explain = (reason === undefined ? undefined : REASONS[reason]) ?? CODES[end.code]
  if (explain !== undefined) return explain(program, end)
  if (end.frame !== null) {
    return {
      tone: 'error',
      title: sentence(end.frame.message) ?? 'The session ended.',
      detail: null,
      wayOut: 'connect',
    }
  }
  if (end.code === CloseCode.NORMAL) {
    return { tone: 'neutral', title: `${program} ended.`, detail: null, wayOut: 'connect' }
  }
  return lost(end)
}

/** The user disconnected while the server was out of reach. */
export const explainRunsOn = (program: string): Explanation => ({
  tone: 'warning',
  title: `Disconnected, but ${program} is still running.`,
  detail:
    'The connection was lost before it could end. To end it, connect and disconnect again. Otherwise it ends when the time for disconnected terminals is over.',
  wayOut: 'connect',
})
