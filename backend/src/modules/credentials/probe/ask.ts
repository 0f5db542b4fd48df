/** One small request to an address that somebody else may have chosen. */
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { SECOND_MS } from '../../../lib/clock.ts'
import type { Networks } from './networks.ts'

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
 */
export const askStatus = async ({ url, headers }: Question, networks: Networks): Promise<number> => {
  networks.checkLiteral(url.hostname)
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      // No agent: a connection that is kept would be one that was not looked up.
      { headers, lookup: networks.lookup, agent: false, signal: AbortSignal.timeout(ASK_TIMEOUT_MS) },
      (response) => {
        response.destroy()
        resolve(response.statusCode ?? 0)
      },
    )
    request.once('error', reject)
    request.end()
  })
}
