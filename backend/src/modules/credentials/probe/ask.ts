/** Sends one small request to an address that a user may have chosen. */
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { SECOND_MS } from '../../../lib/time/clock.ts'
import { ForbiddenAddressError, type Networks } from './networks.ts'

/** Longest time for an answer, in milliseconds: a user waits for it. */
export const ASK_TIMEOUT_MS = 10 * SECOND_MS

/** The request to send. */
export interface Question {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** With it the request is a POST. */
  readonly body?: string | Uint8Array
  /** Gives the request up. */
  readonly signal?: AbortSignal
}

/**
 * The status of the answer; the rest is not read. Redirects are not followed, since they would carry the secret
 * elsewhere. Rejects if no answer comes in time, or with a `ForbiddenAddressError`.
 *
 * @param timeoutMs longest time for the answer, in milliseconds
 */
export const askStatus = async (
  { url, headers, body, signal }: Question,
  networks: Pick<Networks, 'checkLiteral' | 'lookup'>,
  timeoutMs = ASK_TIMEOUT_MS,
): Promise<number> => {
  let isFound = networks.checkLiteral(url.hostname)
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const lookup: LookupFunction = (host, options, done) =>
    networks.lookup(host, options, (error, ...found) => {
      isFound = error === null
      done(error, ...found)
    })
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      // No agent: a reused connection would skip the check of its address.
      {
        method: body === undefined ? 'GET' : 'POST',
        headers,
        lookup,
        agent: false,
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
      },
      (response) => {
        response.destroy()
        resolve(response.statusCode ?? 0)
      },
    )
    // A name that does not resolve in time and a name that does not exist get the same answer.
    request.once('error', (error) =>
      reject(isFound ? error : new ForbiddenAddressError(url.hostname, { cause: error })),
    )
    request.end(body)
  })
}
