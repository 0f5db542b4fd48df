/** Failures that are expected and that a caller is told about. */
import { ERROR_STATUS, type ErrorCode } from '@slipway/protocol'

/** An expected failure: its code and sentence reach the client as they are, so neither may hold a secret. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly statusCode: number
  /** For `TOO_MANY_REQUESTS`: seconds until the next try is heard. */
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, options: ErrorOptions & { retryAfterSeconds?: number } = {}) {
    super(message, options)
    this.code = code
    this.statusCode = ERROR_STATUS[code]
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** The one answer for what is missing and for what the caller may not know of. */
export function notFound(message = 'There is no such thing here.'): AppError {
  return new AppError('NOT_FOUND', message)
}
