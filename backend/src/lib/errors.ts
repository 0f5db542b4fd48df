/** Expected failures, which the server reports to the client. */
import { ERROR_STATUS, type ErrorCode } from '@slipway/protocol'

/** An expected failure. Its code and its message go to the client unchanged, so neither may contain a secret. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly statusCode: number
  /** For `TOO_MANY_REQUESTS`: seconds until the client may retry. */
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, options: ErrorOptions & { retryAfterSeconds?: number } = {}) {
    super(message, options)
    this.code = code
    this.statusCode = ERROR_STATUS[code]
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** The same answer for what does not exist and for what the caller must not know of. */
export function notFound(message = 'There is no such thing here.'): AppError {
  return new AppError('NOT_FOUND', message)
}
