/** One small request to an address that somebody else may have chosen. */
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { SECOND_MS } from '../../../lib/clock.ts'
import { ForbiddenAddressError, type Networks } from './networks.ts'

/** Longest that an answer may take, in milliseconds: somebody is looking at a button. */
export const ASK_TIMEOUT_MS = 10 * SECOND_MS

/** What is asked. */
export interface Question {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The status of the answer; nothing else of it is read. Redirects are not followed, since they would take the secret
 * elsewhere. Rejects when nothing answers in time, or with a `ForbiddenAddressError`.
 *
 * @param timeoutMs longest that the answer may take, in milliseconds
 */
export const askStatus = async (
  { url, headers }: Question,
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
      // No agent: a connection that is kept would be one that was not looked up.
      { headers, lookup, agent: false, signal: AbortSignal.timeout(timeoutMs) },
      (response) => {
        response.destroy()
        resolve(response.statusCode ?? 0)
      },
    )
    // A name that nobody resolves in time is one answer with a name that is not there.
    request.once('error', (error) =>
      reject(isFound ? error : new ForbiddenAddressError(url.hostname, { cause: error })),
    )
    request.end()
  })
}
