/** Requests to Slipway, over the relay of this container. */
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { EXIT } from './exits.ts'
import { type Failure, patiently } from './patience.ts'

const SOCKET = '/tmp/.slipway/relay.sock'
/** Longer than the server waits before it answers, in milliseconds. */
const ANSWER_MS = 90_000
/** How long a command waits for a server that does not answer, in milliseconds: longer than it takes to restart. */
export const PATIENCE_MS = 45_000

/** There is no server, or it did not answer. */
export class Unreachable extends Error {
  readonly exitCode = EXIT.unreachable
  override readonly message = 'Slipway does not answer. Its server may be down, or this agent may have an older image.'
}

/** The server does not take the request. */
export class Refused extends Error {
  readonly exitCode = EXIT.refused
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

const once = (method: string, path: string, body: object | undefined, signal: AbortSignal): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const session = process.env['SLIPWAY_SESSION']
    const headers = {
      ...(body && { 'content-type': 'application/json' }),
      ...(session !== undefined && { 'x-slipway-session': session }),
    }
    const options = { socketPath: SOCKET, path: `/api${path}`, method, headers, agent: false } as const
    const sent = request({ ...options, signal }, (response) => {
      text(response)
        .then((answer) => ({
          status: response.statusCode ?? 0,
          body: answer === '' ? null : (JSON.parse(answer) as unknown),
        }))
        .then(resolve, reject)
    })
    sent.once('error', reject)
    sent.end(body && JSON.stringify(body))
  })

const messageOf = (body: unknown): string | null => {
  const message = typeof body === 'object' && body !== null && 'message' in body ? body.message : null
  return typeof message === 'string' ? message : null
}

interface SendOptions {
  readonly patienceMs: number
  /** For a server that goes away while it has the request. */
  readonly heldPatienceMs?: number
  readonly signal?: AbortSignal
}

/**
 * The answer to a request that may be repeated. While there is no server, tries again for so many milliseconds. Throws
 * {@link Unreachable} and {@link Refused}, and the reason of `signal`.
 */
export const send = async (
  method: string,
  path: string,
  body: object | undefined,
  { patienceMs, heldPatienceMs = patienceMs, signal }: SendOptions,
): Promise<unknown> => {
  const attempt = async (): Promise<{ answer: Answer } | Failure> => {
    const timeout = AbortSignal.timeout(ANSWER_MS)
    const either = signal ? AbortSignal.any([signal, timeout]) : timeout
    const answer = await once(method, path, body, either).catch(() => null)
    signal?.throwIfAborted()
    return answer && answer.status < 500 ? { answer } : { isHung: timeout.aborted }
  }
  const clock = { now: () => performance.now(), pause: (ms: number) => delay(ms) }
  const answer = await patiently(attempt, { patienceMs, heldPatienceMs, ...clock })
  if (answer === null) throw new Unreachable()
  if (answer.status < 300) return answer.body
  throw new Refused(messageOf(answer.body) ?? `Slipway answered ${answer.status}.`)
}
