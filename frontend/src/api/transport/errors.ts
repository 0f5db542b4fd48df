import type { ErrorBody, ErrorCode } from '@slipway/protocol'

/** What the client itself adds to the server's codes: no answer at all, or one that is not ours. */
export type ClientErrorCode = 'UNREACHABLE' | 'UNEXPECTED'

/** A request that failed. `message` is a sentence for a person and may be shown as it is. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** The HTTP status, or 0 where no answer came. */
  readonly statusCode: number
  readonly code: ErrorCode | ClientErrorCode

  constructor(statusCode: number, code: ErrorCode | ClientErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.statusCode = statusCode
    this.code = code
  }

  /** Whether trying the same again later may help. */
  get transient(): boolean {
    return this.statusCode === 0 || this.statusCode === 429 || this.statusCode >= 500
  }
}

/** No answer came: the network is away, or the server is. */
export function unreachable(cause: unknown): ApiError {
  return new ApiError(0, 'UNREACHABLE', 'Slipway does not answer. Check your connection, then try again.', { cause })
}

/** Reads a failed response; a proxy's HTML page in between becomes a sentence, too. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => null)) as Partial<ErrorBody> | null
  if (typeof body?.code === 'string' && typeof body.message === 'string') {
    return new ApiError(response.status, body.code as ErrorCode, body.message)
  }
  const message =
    response.status >= 500
      ? 'Slipway is not available right now. Try again in a moment.'
      : `The server sent an unexpected answer (${response.status}).`
  return new ApiError(response.status, 'UNEXPECTED', message)
}

/** The sentence to show for anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof ApiError ? error.message : 'Something went wrong in this page. Reload it, and try again.'
}
