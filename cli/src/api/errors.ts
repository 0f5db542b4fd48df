/** What goes wrong, and the exit code that says so to a script. */

/**
 * Codes that the command adds to those of docs/programs/api.md. `USAGE`: the arguments are wrong. `NOT_SIGNED_IN`: there
 * is no token for this server. `UNREACHABLE`: there was no answer. `UNEXPECTED`: the answer is not one of a Slipway
 * server.
 */
type OwnErrorCode = 'USAGE' | 'NOT_SIGNED_IN' | 'UNREACHABLE' | 'UNEXPECTED'
/** The server may be newer than this command, so its codes are not listed here. */
type ServerErrorCode = string & {}

/** A failure that a user can understand. `message` is a sentence for people, `code` is for programs. */
export class SlipwayError extends Error {
  override readonly name = 'SlipwayError'
  readonly code: OwnErrorCode | ServerErrorCode
  /** The HTTP status of the answer; 0 if there was none. */
  readonly statusCode: number
  /** When the server takes the next attempt, in seconds from now. Null if it does not say. */
  readonly retryAfterSeconds: number | null

  constructor(
    code: OwnErrorCode | ServerErrorCode,
    message: string,
    { statusCode = 0, retryAfterSeconds = null, cause }: ErrorDetails = {},
  ) {
    super(message, { cause })
    this.code = code
    this.statusCode = statusCode
    this.retryAfterSeconds = retryAfterSeconds
  }

  /** Whether the same request may succeed a moment later. */
  get isTransient(): boolean {
    return this.code === 'UNREACHABLE' || [408, 429, 502, 503, 504].includes(this.statusCode)
  }
}

interface ErrorDetails {
  readonly statusCode?: number
  readonly retryAfterSeconds?: number | null
  readonly cause?: unknown
}

export const usage = (message: string): SlipwayError => new SlipwayError('USAGE', message)

/** Exit codes. docs/programs/cli.md lists them. */
export const EXIT = {
  done: 0,
  /** The task has failed or was ended. */
  failed: 1,
  usage: 2,
  notSignedIn: 3,
  forbidden: 4,
  notFound: 5,
  conflict: 6,
  refused: 7,
  unavailable: 8,
  internal: 9,
  /** `exec`: the time of the program was over, as in `timeout` of coreutils. */
  timedOut: 124,
  /** `exec` and `attach`, whose other exit codes are those of the program in the agent. */
  slipwayFailed: 125,
  /** 128 and the number of SIGINT. */
  interrupted: 130,
} as const

/** By the status of the answer. */
const OF_STATUS: Readonly<Record<number, number>> = {
  400: EXIT.refused,
  401: EXIT.notSignedIn,
  403: EXIT.forbidden,
  404: EXIT.notFound,
  408: EXIT.unavailable,
  409: EXIT.conflict,
  410: EXIT.notFound,
  411: EXIT.refused,
  413: EXIT.refused,
  422: EXIT.refused,
  429: EXIT.unavailable,
  431: EXIT.refused,
  502: EXIT.unavailable,
  503: EXIT.unavailable,
  504: EXIT.unavailable,
  507: EXIT.unavailable,
}

/** The exit code for anything thrown. */
export const exitCodeOf = (error: unknown): number => {
  if (!(error instanceof SlipwayError)) return EXIT.internal
  switch (error.code) {
    case 'USAGE':
      return EXIT.usage
    case 'NOT_SIGNED_IN':
      return EXIT.notSignedIn
    case 'UNREACHABLE':
      return EXIT.unavailable
    default:
      return OF_STATUS[error.statusCode] ?? EXIT.internal
  }
}
