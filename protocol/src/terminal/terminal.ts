/**
 * The terminal's WebSocket protocol. Binary frames are raw terminal bytes in both directions. Text frames are the JSON
 * below; any other text frame is input.
 */
import Type, { type Static } from 'typebox'
import { RecordedParts } from './recordings.ts'
import { AskControlFrame, DeclineControlFrame, GiveControlFrame, PeopleFrame } from './watching.ts'

/** Close codes. The code that the *client* sends decides whether the session ends or only loses its socket. */
export const CloseCode = {
  /** The client disconnects, or the program exits. The session ends with its processes. */
  NORMAL: 1000,
  /** The server is stopping. */
  GOING_AWAY: 1001,
  /** A frame exceeded {@link MAX_INPUT_BYTES}. */
  TOO_LARGE: 1009,
  /** The server could not continue, for example because the engine is away. */
  INTERNAL: 1011,
  /** The query or the first message names an unknown mode, model or version. */
  BAD_REQUEST: 4000,
  /** Authentication failed or took too long. */
  UNAUTHENTICATED: 4001,
  /** This user already has a live session with this agent. */
  SESSION_EXISTS: 4002,
  /** The user has no right to this agent, or lost it. */
  FORBIDDEN: 4003,
  /** The container is missing or does not run, or it stopped during the session. */
  NOT_RUNNING: 4004,
} as const
export type CloseCode = (typeof CloseCode)[keyof typeof CloseCode]

/** How long the server waits for the first message, in milliseconds. */
export const AUTH_TIMEOUT_MS = 10_000
/** Largest frame that a client may send, in bytes; a client splits a larger paste. */
export const MAX_INPUT_BYTES = 65_536
/** The newest protocol version. Version 2 adds sizes, offsets and acknowledgements to version 1. */
export const PROTOCOL_VERSION = 2
/**
 * A version 2 client acknowledges the output that its parser has consumed at least every this many bytes. After
 * consuming everything, it acknowledges within 100 ms. Until then, a viewer that fell behind gets no snapshot.
 */
export const ACK_EVERY_BYTES = 65_536
/**
 * The server stops reading the program while a version 2 viewer has this many bytes unacknowledged. It must stay well
 * below the 1 MiB at which the program's holder blocks by itself. Otherwise no viewer would be seen as slow and left
 * behind.
 */
export const WINDOW_BYTES = 262_144

/**
 * Most input that a version 2 client has in flight, in bytes, counted from the last {@link TakenFrame}. Input that the
 * program does not read then never fills the socket, so the client's other frames arrive.
 */
export const INPUT_WINDOW_BYTES = 524_288

/**
 * Bounds of a terminal's size. The maximum is far above any screen. It keeps a hostile client from making a program
 * allocate gigabytes.
 */
export const COLS_MAX = 1000
export const ROWS_MAX = 1000
const Cols = Type.Integer({ minimum: 2, maximum: COLS_MAX })
const Rows = Type.Integer({ minimum: 1, maximum: ROWS_MAX })

/** The query of the upgrade. Both are validated after authentication. */
export const TERMINAL_MODES = ['claude', 'gemini', 'codex', 'bash'] as const
export type TerminalMode = (typeof TERMINAL_MODES)[number]

/** The first message. `token` is an access token or an API token with the scope `terminal`. */
export const AuthFrame = Type.Object({
  type: Type.Literal('auth'),
  token: Type.String({ minLength: 1 }),
  v: Type.Optional(Type.Literal(PROTOCOL_VERSION)),
  /** Version 2: the initial size of the program. */
  cols: Type.Optional(Cols),
  rows: Type.Optional(Rows),
  /**
   * Version 2: any name for the client, such as a random id of a browser's tab. A client that reconnects with it
   * replaces its own lost socket, which the server may not have noticed yet.
   */
  client: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  /** Version 2: the session to reconnect to. If it has ended, the server says so and starts no other. */
  session: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  /** Version 2: the client has all output before this offset. */
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Version 2: takes the session over from an attached client. */
  takeover: Type.Optional(Type.Boolean()),
})
export type AuthFrame = Static<typeof AuthFrame>

export const ResizeFrame = Type.Object({ type: Type.Literal('resize'), cols: Cols, rows: Rows })
export type ResizeFrame = Static<typeof ResizeFrame>

/** Version 2: the client has parsed all output before `offset`. */
export const AckFrame = Type.Object({ type: Type.Literal('ack'), offset: Type.Integer({ minimum: 0 }) })
export type AckFrame = Static<typeof AckFrame>

/** The control messages that a client may send once the session is open. */
export const ClientFrame = Type.Union([ResizeFrame, AckFrame, AskControlFrame, GiveControlFrame, DeclineControlFrame])
export type ClientFrame = Static<typeof ClientFrame>

/** All fields except `type` are sent only in version 2. */
export const AuthSuccessFrame = Type.Object({
  type: Type.Literal('auth_success'),
  sessionId: Type.Optional(Type.String()),
  /** Offset of the first byte of output that follows. */
  offset: Type.Optional(Type.Integer()),
  /** The current size of the program. */
  cols: Type.Optional(Cols),
  rows: Type.Optional(Rows),
  /** The mode of the session. If the session waited for the user, it may differ from the requested one. */
  mode: Type.Optional(Type.String()),
  /** Whether the session existed before. */
  resumed: Type.Optional(Type.Boolean()),
  /**
   * Number of bytes of past output at the beginning of the following output. The client must not send its emulator's
   * answers to them.
   */
  replay: Type.Optional(Type.Integer()),
  /** Whether it survives a restart of the server. */
  survives: Type.Optional(Type.Boolean()),
  /** Which parts are recorded, see {@link RecordedFrame}. */
  recorded: Type.Optional(RecordedParts),
  /** Most input in flight, in bytes, see {@link TakenFrame}. */
  inputWindow: Type.Optional(Type.Integer()),
  /** The agent's name and the session's user, for a guest who opened a link. */
  agentName: Type.Optional(Type.String()),
  holder: Type.Optional(Type.String()),
})
export type AuthSuccessFrame = Static<typeof AuthSuccessFrame>

/** Why a session ended; version 1 clients read the sentence in `message`. */
export const END_REASONS = [
  'exited',
  'out_of_memory',
  'container_stopped',
  'agent_deleted',
  'access_revoked',
  /** The session had a personal credential, and the agent was shared. */
  'now_shared',
  /** The session has a personal credential. The client has an API token, or a link that a token created. */
  'personal_credential',
  'taken_over',
  'server_stopping',
  'engine_unavailable',
  'disconnected',
  'connection_lost',
  'failed_to_start',
] as const
export type EndReason = (typeof END_REASONS)[number]

/** Sent before the server closes the socket. `reason` and `exitCode` are sent only in version 2. */
export const ErrorFrame = Type.Object({
  type: Type.Literal('error'),
  message: Type.String(),
  close: Type.Optional(Type.Boolean()),
  reason: Type.Optional(Type.String()),
  exitCode: Type.Optional(Type.Integer()),
})
export type ErrorFrame = Static<typeof ErrorFrame>

/**
 * Version 2: replaces the screen, because the output that follows does not contain it. `bytes` bytes of screen follow
 * as binary, to write to an emulator of that size. Then the output from `offset` follows. Its first `replay` bytes are
 * past output.
 */
export const SnapshotFrame = Type.Object({
  type: Type.Literal('snapshot'),
  bytes: Type.Integer(),
  offset: Type.Integer(),
  cols: Type.Integer(),
  rows: Type.Integer(),
  replay: Type.Optional(Type.Integer()),
})
export type SnapshotFrame = Static<typeof SnapshotFrame>

/** Version 2: a heartbeat every 15 s, so that a client notices a lost network. */
export const AliveFrame = Type.Object({ type: Type.Literal('alive') })

/** Version 2: the number of input bytes from this socket that no longer wait. Sent at least every 64 KiB of them. */
export const TakenFrame = Type.Object({ type: Type.Literal('taken'), bytes: Type.Integer() })
export type TakenFrame = Static<typeof TakenFrame>

/** Version 2: from here on the program has this size, because another participant resized it. */
export const SizeFrame = Type.Object({ type: Type.Literal('size'), cols: Cols, rows: Rows })
export type SizeFrame = Static<typeof SizeFrame>

/** Version 2: the parts of the session that are recorded from here on have changed. */
export const RecordedFrame = Type.Object({ type: Type.Literal('recorded'), recorded: RecordedParts })
export type RecordedFrame = Static<typeof RecordedFrame>

export const ServerFrame = Type.Union([
  AuthSuccessFrame,
  ErrorFrame,
  SnapshotFrame,
  SizeFrame,
  AliveFrame,
  TakenFrame,
  PeopleFrame,
  RecordedFrame,
])
export type ServerFrame = Static<typeof ServerFrame>

/** How long a session waits for a user who lost their socket, in seconds, unless the agent's settings differ. */
export const KEEP_SECONDS_DEFAULT = 300
export const KEEP_SECONDS_MAX = 86_400

/** How many terminals a user may have in an agent at the same time, unless the agent's settings differ. */
export const TERMINALS_PER_USER_DEFAULT = 1
/** More than fit side by side on a large screen. Each one has a program, an emulator and a screen on the server. */
export const TERMINALS_PER_USER_MAX = 8

/** The name of one of a user's terminals in an agent, 1 to 32 characters. The terminal of a query without `tab` has none. */
export const TAB_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$'

/** The sentences of the protocol's table, word for word: clients and tests depend on them. */
export const TERMINAL_MESSAGE = {
  expectedAuth: 'Expected auth message first',
  tokenRequired: 'Token required',
  invalidToken: 'Invalid token',
  authTimeout: 'Authentication timeout',
  invalidJson: 'Invalid JSON in auth message',
  accessDenied: "You don't have access to this agent",
  adminRequired: 'Admin access required',
  sessionExists: 'You already have an active terminal session for this agent',
  tooManyTerminals: (most: number) => `You already have ${most} terminals in this agent, as many as its settings allow`,
  containerNotFound: (name: string) => `Agent '${name}' container not found`,
  notRunning: (name: string) => `Agent '${name}' is not running. Please start it first.`,
} as const
