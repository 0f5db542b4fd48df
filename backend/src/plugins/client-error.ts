/** Answers requests that Node.js cannot parse, so that no route ever sees them. */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ERROR_STATUS, type ErrorBody, type ErrorCode } from '@slipway/protocol'

/** Node.js' codes for faults of a client. With any other code the request is not HTTP. */
const CODES: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', "The request's headers are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 'The request did not arrive completely in time.'],
}
const MALFORMED = ['MALFORMED_REQUEST', 'This is not an HTTP request that the server can read.'] as const

/** Answers in the shape of every other error, and closes the connection. */
export const answerClientError = (error: NodeJS.ErrnoException, socket: Socket): void => {
  // The client has left, or already has its answer.
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy()
  const [code, message] = CODES[error.code ?? ''] ?? MALFORMED
  const statusCode = ERROR_STATUS[code]
  const reason = STATUS_CODES[statusCode] ?? 'Error'
  const body = JSON.stringify({ statusCode, code, error: reason, message } satisfies ErrorBody)
  const head = [
    `HTTP/1.1 ${statusCode} ${reason}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
