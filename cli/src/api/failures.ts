/** Turns failed requests into errors that say what happened and what to do. */
import type { IncomingHttpHeaders } from 'node:http'
import { SlipwayError } from './errors.ts'

/** OpenSSL's codes for a certificate that is not trusted, as Node names them. */
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** There was no answer: the network, the server, or its certificate. */
export const unreachable = (url: string, cause: unknown): SlipwayError => {
  const code = codeOf(cause)
  const why = code || (cause instanceof Error ? cause.message : 'no reason is known')
  if (UNTRUSTED.test(code))
    return new SlipwayError(
      'UNREACHABLE',
      `The certificate of ${url} is not trusted (${why}). NODE_EXTRA_CA_CERTS names a file with the authority to trust.`,
      { cause },
    )
  return new SlipwayError('UNREACHABLE', `Slipway does not answer at ${url} (${why}).`, { cause })
}

/** The answer cannot be read, or is not one of a Slipway server. */
export const unexpected = (statusCode: number, cause?: unknown): SlipwayError =>
  new SlipwayError('UNEXPECTED', `The server sent an answer that cannot be read (status ${statusCode}).`, {
    statusCode,
    cause,
  })

const retryAfter = (headers: IncomingHttpHeaders): number | null => {
  const seconds = Number(headers['retry-after'])
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null
}

const bodyOf = (text: string): { code?: unknown; message?: unknown } => {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    return {}
  }
}

/** A failed answer. A proxy's page becomes a sentence, too. */
export const errorOf = (statusCode: number, headers: IncomingHttpHeaders, text: string): SlipwayError => {
  const { code, message } = bodyOf(text)
  const details = { statusCode, retryAfterSeconds: retryAfter(headers) }
  if (typeof message === 'string' && typeof code === 'string') return new SlipwayError(code, message, details)
  const { location } = headers
  if (statusCode >= 300 && statusCode < 400 && location !== undefined)
    return new SlipwayError('UNEXPECTED', `The server is at another address: ${location}`, details)
  if (statusCode >= 500)
    return new SlipwayError('UNEXPECTED', 'Slipway is not available right now. Try again in a moment.', details)
  return new SlipwayError('UNEXPECTED', `This is not the answer of a Slipway server (status ${statusCode}).`, details)
}
