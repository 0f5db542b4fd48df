import type { ErrorBody, ErrorCode } from '@slipway/protocol'

/** Codes that the client adds to the server's: no response, or a response that is not the server's own. */
export type ClientErrorCode = 'UNREACHABLE' | 'UNEXPECTED'

/** A failed request. `message` is a sentence that can be shown to the user as it is. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** The HTTP status, or 0 without a response. */
  readonly statusCode: number
  readonly code: ErrorCode | ClientErrorCode

  constructor(statusCode: number, code: ErrorCode | ClientErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.statusCode = statusCode
    this.code = code
  }

  /** Whether a retry may help. */
  get transient(): boolean {
    return this.statusCode === 0 || this.statusCode === 429 || this.statusCode >= 500
  }
}

const OTHER_USER = 'Another user has signed in with this browser.'
/** The cookie of the browser belongs to another user than the page. */
export const otherUser = (): ApiError => new ApiError(401, 'UNAUTHENTICATED', OTHER_USER)
export const isOtherUser = (error: unknown): boolean => error instanceof ApiError && error.message === OTHER_USER

/** There was no response: the network or the server is out of reach. */
export function unreachable(cause: unknown): ApiError {
  return new ApiError(0, 'UNREACHABLE', 'Slipway does not answer. Check your connection, then try again.', { cause })
}

/** Reads a failed response. A proxy's HTML page becomes a sentence, too. */
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

/** The sentence to show for any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof ApiError ? error.message : 'Something went wrong in this page. Reload it, and try again.'
}
