/** Every error code that the REST API answers, with its status. The documentation lists the same codes. */
export const ERROR_STATUS = {
  /** The body, query or path does not fit its schema. */
  VALIDATION: 400,
  /** What arrived is no HTTP request that the server could read. */
  MALFORMED_REQUEST: 400,
  /** The path, or a link on it, leaves the agent's home. */
  OUTSIDE_HOME: 400,
  /** No token, or one that is forged, expired or revoked. */
  UNAUTHENTICATED: 401,
  /** E-mail and password do not belong together, or the account is disabled or does not exist: one answer for all. */
  INVALID_CREDENTIALS: 401,
  /** The refresh cookie or the refresh key is missing or wrong, or the sign-in is expired or revoked. */
  INVALID_REFRESH: 401,
  /** The set-up or invitation link was used, has expired or never existed. */
  INVALID_LINK: 401,
  /** The caller is known but lacks the role or the token's scope. Never used where it would reveal that a thing exists. */
  FORBIDDEN: 403,
  /** The terminal holds a credential of its user's own, and the caller has an API token: sign in instead. */
  PERSONAL_CREDENTIAL: 403,
  /** The request came from a page of another origin. */
  FOREIGN_ORIGIN: 403,
  /** No such thing, or the caller may not know of it: one answer for both. */
  NOT_FOUND: 404,
  /** No account with this e-mail address. */
  USER_NOT_FOUND: 404,
  /** No such file or folder in the agent's home. */
  FILE_NOT_FOUND: 404,
  /** The request did not arrive completely in time. */
  REQUEST_TIMEOUT: 408,
  /** An account with this e-mail address exists. */
  EMAIL_TAKEN: 409,
  /** An agent with this name exists. */
  NAME_TAKEN: 409,
  /** Another request used this refresh cookie in the same instant. Ask again: with the cookie that it set, or with this one. */
  REFRESH_CONFLICT: 409,
  /** The last enabled admin cannot be disabled, demoted or deleted. */
  LAST_ADMIN: 409,
  /** The agent is in a state in which this cannot be done, for example being deleted. */
  WRONG_STATE: 409,
  /** A request with the same Idempotency-Key is being answered. */
  REQUEST_IN_PROGRESS: 409,
  /** The user has as many API tokens as one may have. */
  TOO_MANY_TOKENS: 409,
  /** The agent has as many variables as one may have, or they are too long together. */
  TOO_MANY_VARIABLES: 409,
  /** The terminal has as many links as one may have. */
  TOO_MANY_LINKS: 409,
  /** The user still owns agents. */
  OWNS_AGENTS: 409,
  /** Some agents of a user who is to be deleted could not be; the user is disabled and owns what is left. */
  AGENTS_LEFT: 503,
  /** The set-up is done already. */
  ALREADY_SET_UP: 409,
  /** The file or folder is there, but cannot be read or written: its kind, or its rights. */
  FILE_REFUSED: 409,
  /** An upload without a Content-Length. */
  LENGTH_REQUIRED: 411,
  /** The body or one frame is larger than its bound. */
  TOO_LARGE: 413,
  /** The value is well formed, but this installation does not offer it: an image not in its list, a limit above its maximum. */
  NOT_OFFERED: 422,
  /** The Idempotency-Key was sent before with another request. */
  IDEMPOTENCY_KEY_REUSED: 422,
  /** Too many tries; the header `retry-after` says when the next one is heard. */
  TOO_MANY_REQUESTS: 429,
  /** The request's headers are larger than their bound. */
  HEADERS_TOO_LARGE: 431,
  /** Something broke that should not; the log has the request's id. */
  INTERNAL: 500,
  /** The container engine does not answer. */
  ENGINE_UNAVAILABLE: 503,
  /** The audit log did not take the record of this, so it was not done. */
  AUDIT_REFUSED: 503,
  /** The stored credentials were encrypted with another secret key than this server has. */
  SECRET_KEY_MISMATCH: 503,
  /** The database does not answer. */
  DATABASE_UNAVAILABLE: 503,
  /** The server was told to stop and takes nothing new; the header `retry-after` says when to try again. */
  SERVER_STOPPING: 503,
  /** No room is left where the file was to go. */
  DISK_FULL: 507,
} as const

/** A program's handle on what went wrong. */
export type ErrorCode = keyof typeof ERROR_STATUS
