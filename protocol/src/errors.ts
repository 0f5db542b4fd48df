/** Every error code that the REST API answers, with its status. The documentation lists the same codes. */
export const ERROR_STATUS = {
  /** The body, query or path does not fit its schema. */
  VALIDATION: 400,
  /** The server could not read the input as an HTTP request. */
  MALFORMED_REQUEST: 400,
  /** The path, or a link on it, leaves the agent's home. */
  OUTSIDE_HOME: 400,
  /** No token, or one that is forged, expired or revoked. */
  UNAUTHENTICATED: 401,
  /** The e-mail address or the password is wrong, or the account is disabled or does not exist: one answer for all. */
  INVALID_CREDENTIALS: 401,
  /** The refresh cookie or the refresh key is missing or wrong, or the sign-in is expired or revoked. */
  INVALID_REFRESH: 401,
  /** The set-up or invitation link was used, has expired or never existed. */
  INVALID_LINK: 401,
  /** The caller lacks the role or the token's scope. Never used if it would reveal that the target exists. */
  FORBIDDEN: 403,
  /** The terminal has a personal credential of its user, and the caller has an API token. Sign in instead. */
  PERSONAL_CREDENTIAL: 403,
  /** The request came from a page of another origin. */
  FOREIGN_ORIGIN: 403,
  /** The target does not exist, or the caller may not know of it: one answer for both. */
  NOT_FOUND: 404,
  /** No account with this e-mail address. */
  USER_NOT_FOUND: 404,
  /** The code that lets a program of another device sign in is wrong, was used, or has expired. */
  INVALID_CODE: 404,
  /** No such file or folder in the agent's home. */
  FILE_NOT_FOUND: 404,
  /** The request did not arrive completely in time. */
  REQUEST_TIMEOUT: 408,
  /** An account with this e-mail address exists. */
  EMAIL_TAKEN: 409,
  /** An agent, or a custom provider of the user, has this name. */
  NAME_TAKEN: 409,
  /** Another request used this refresh cookie in the same instant. Retry with the current cookie. */
  REFRESH_CONFLICT: 409,
  /** The last enabled admin cannot be disabled, demoted or deleted. */
  LAST_ADMIN: 409,
  /** The agent's state does not allow this, for example because it is being deleted. */
  WRONG_STATE: 409,
  /** An earlier request with the same Idempotency-Key is not answered yet. */
  REQUEST_IN_PROGRESS: 409,
  /** The user has the maximum number of API tokens. */
  TOO_MANY_TOKENS: 409,
  /** The user has the maximum number of SSH keys. */
  TOO_MANY_SSH_KEYS: 409,
  /** A user has this SSH key already. */
  SSH_KEY_TAKEN: 409,
  /** The user has the maximum number of active tasks. */
  TOO_MANY_TASKS: 409,
  /** The budget of the user or of the platform for this month is used up. */
  BUDGET_EXHAUSTED: 409,
  /** Another task or a terminal continues the same session of the CLI. Wait for its end. */
  SESSION_IN_USE: 409,
  /** The user has a terminal in the agent, and an interactive task needs one. Disconnect it first. */
  TERMINAL_OPEN: 409,
  /** No worktree can be made or used for the task: no git work tree, no commit in it, or the set-up command failed. */
  NO_WORKTREE: 409,
  /** A task, a terminal or another program works in the worktree. */
  WORKTREE_IN_USE: 409,
  /** The worktree cannot be removed or taken back as it is. */
  WORKTREE_NOT_READY: 409,
  /** The task runs without a terminal, so it takes no input and has no size. */
  NOT_INTERACTIVE: 409,
  /** The user has the maximum number of conversations that are not archived. */
  TOO_MANY_CONVERSATIONS: 409,
  /** The conversation has the maximum number of messages that wait. */
  TOO_MANY_MESSAGES: 409,
  /** No turn runs that takes messages. Queue the message instead. */
  CANNOT_STEER: 409,
  /** The CLI of the conversation cannot fork its session, or has none yet. */
  CANNOT_FORK: 409,
  /** The user, or the agent's programs, have the maximum number of open questions. */
  TOO_MANY_DIALOGS: 409,
  /** Another user answered the dialog first, or it needs no answer any more. */
  DIALOG_CLOSED: 409,
  /** The task has ended, and its events were removed because of their age or their size. Its result is kept. */
  TRANSCRIPT_REMOVED: 410,
  /** The file is not as it was in the diff that the request names. Read the diff again. */
  CHANGES_CONFLICT: 409,
  /** The container no longer has the work tree of the start of the task. Its diff until its end is kept. */
  CHANGES_GONE: 410,
  /** There is a branch of this name already, or one whose name is the beginning of it. Choose another name. */
  BRANCH_TAKEN: 409,
  /** There is no git work tree in the folder that the request names. */
  NO_REPOSITORY: 404,
  /** Git, or the state of the repository, does not allow it. The message says why, and what to do. */
  GIT_REFUSED: 409,
  /**
   * Git, or a hook or filter of the repository, refused it. The first line of the message says so, and the lines behind
   * it are the end of what they printed.
   */
  GIT_FAILED: 409,
  /**
   * Git could not write all files of a work tree, nor put back those that it had written. The message says what state they
   * are in, and what to do.
   */
  FILES_NOT_WRITTEN: 409,
  /** The remote of a repository, or its host, refused a push or a pull request. The message has its words. */
  REMOTE_REFUSED: 409,
  /** The pull request of the branch is merged or closed, and the request does not ask for another one. */
  PULL_REQUEST_CLOSED: 409,
  /** The user has the maximum number of custom providers. */
  TOO_MANY_PROVIDERS: 409,
  /** Two targets of a comparison would work in the same folder. */
  SAME_FOLDER: 422,
  /** The user has the maximum number of schedules. */
  TOO_MANY_SCHEDULES: 409,
  /** The user or the platform has the maximum number of webhooks. */
  TOO_MANY_WEBHOOKS: 409,
  /** The user or the platform has the maximum number of prompt templates. */
  TOO_MANY_TEMPLATES: 409,
  /** The user, the agent or the platform has the maximum number of approval rules. */
  TOO_MANY_RULES: 409,
  /** The user has the maximum number of devices that get pushes. */
  TOO_MANY_DEVICES: 409,
  /** The installation has the maximum number of agents. */
  TOO_MANY_AGENTS: 409,
  /** The agent has the maximum number of variables, or they are too long in total. */
  TOO_MANY_VARIABLES: 409,
  /** The agent, the user or the platform has the maximum number of connectors, or they are too long in total. */
  TOO_MANY_CONNECTORS: 409,
  /** The agent, the user or the platform has the maximum number of skills. */
  TOO_MANY_SKILLS: 409,
  /** The terminal has the maximum number of links. */
  TOO_MANY_LINKS: 409,
  /** The user still owns agents. */
  OWNS_AGENTS: 409,
  /**
   * Some agents of a user who is being deleted could not be deleted. The user is disabled and owns the remaining ones.
   */
  AGENTS_LEFT: 503,
  /** The first admin exists already. */
  ALREADY_SET_UP: 409,
  /** The file or folder exists, but its type or its permissions do not allow reading or writing it. */
  FILE_REFUSED: 409,
  /** A file or folder with this name exists already, and is not replaced. */
  FILE_EXISTS: 409,
  /** The file has changed, or is gone, since it was read. Read it again. */
  FILE_CHANGED: 412,
  /** An upload without a Content-Length. */
  LENGTH_REQUIRED: 411,
  /** The body or one frame is larger than its bound. */
  TOO_LARGE: 413,
  /** The value is well formed, but this installation does not offer it: an image not in its list, a limit above its maximum. */
  NOT_OFFERED: 422,
  /** The agent does not have the coding CLI of the task. */
  CLI_NOT_INSTALLED: 422,
  /** The key for the coding CLI of the task does not have the form that its model server gives to keys. */
  KEY_REFUSED: 422,
  /** The Idempotency-Key was used before for another request. */
  IDEMPOTENCY_KEY_REUSED: 422,
  /** Too many attempts; the header `retry-after` says when to retry. */
  TOO_MANY_REQUESTS: 429,
  /** The request's headers are larger than their bound. */
  HEADERS_TOO_LARGE: 431,
  /** An unexpected failure; the log has the request's id. */
  INTERNAL: 500,
  /** The container engine does not answer. */
  ENGINE_UNAVAILABLE: 503,
  /** The audit log refused the record of this action, so it was not done. */
  AUDIT_REFUSED: 503,
  /** The stored credentials were encrypted with another secret key than this server's. */
  SECRET_KEY_MISMATCH: 503,
  /** The database does not answer. */
  DATABASE_UNAVAILABLE: 503,
  /** The server is stopping and accepts no new requests; the header `retry-after` says when to retry. */
  SERVER_STOPPING: 503,
  /** The agent's disk has no room for the file, or the server's for the task. */
  DISK_FULL: 507,
} as const

/** The error codes for programs. */
export type ErrorCode = keyof typeof ERROR_STATUS
