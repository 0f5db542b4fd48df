/**
 * The terminal's WebSocket protocol. Binary frames are raw terminal bytes, both ways; text frames are the JSON below;
 * a text frame that is none of these is input.
 */
import Type, { type Static } from 'typebox'
import { RecordedParts } from './recordings.ts'
import { AskControlFrame, DeclineControlFrame, GiveControlFrame, PeopleFrame } from './watching.ts'

/** Close codes. What ends a session and what merely loses its socket is decided by the code the *client* sends. */
export const CloseCode = {
  /** Ends the session, processes and all: Disconnect, or the program's own exit. */
  NORMAL: 1000,
  /** The server is stopping. */
  GOING_AWAY: 1001,
  /** A frame was larger than {@link MAX_INPUT_BYTES}. */
  TOO_LARGE: 1009,
  /** The server could not go on, for example because the engine went away. */
  INTERNAL: 1011,
  /** The query or the first message asks for something that does not exist: mode, model, version. */
  BAD_REQUEST: 4000,
  /** Authentication failed, or did not come in time. */
  UNAUTHENTICATED: 4001,
  /** This user has a live session with this agent already. */
  SESSION_EXISTS: 4002,
  /** No right to this agent, or no longer. */
  FORBIDDEN: 4003,
  /** The container is not there or not running, or stopped under the session. */
  NOT_RUNNING: 4004,
} as const
export type CloseCode = (typeof CloseCode)[keyof typeof CloseCode]

/** How long the server waits for the first message, in milliseconds. */
export const AUTH_TIMEOUT_MS = 10_000
/** Largest frame a client may send, in bytes; a larger paste is cut into frames. */
export const MAX_INPUT_BYTES = 65_536
/** The newest protocol version: 1 is the plain one, 2 adds sizes, offsets and acknowledgements. */
export const PROTOCOL_VERSION = 2
/**
 * A version 2 client acknowledges what its parser has consumed at least every so many bytes, and within 100 ms when it has
 * consumed everything: who was left behind is shown the screen only then.
 */
export const ACK_EVERY_BYTES = 65_536
/**
 * The server stops reading the program while a version 2 viewer has this many bytes unacknowledged. It has to stay well below the
 * 1 MiB at which the program's holder stands still by itself: then nobody would be seen to be slow, and be left behind.
 */
export const WINDOW_BYTES = 262_144

/**
 * A version 2 client keeps at most so much of its input on its way, in bytes, counting from what it was told to be taken: its socket is
 * then never full of what a program does not read, and what else it says is heard.
 */
export const INPUT_WINDOW_BYTES = 524_288

/** Bounds of a terminal's size; the upper one is far above any screen and keeps a hostile client from making a program allocate gigabytes. */
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
  /** The size to start the program with (version 2). */
  cols: Type.Optional(Cols),
  rows: Type.Optional(Rows),
  /**
   * Version 2: any name that a client gives itself, such as a random id of a browser's tab. Who comes back under it
   * replaces their own lost socket, which the server may not have noticed yet.
   */
  client: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  /** Version 2: the session to come back to. When it has ended, that is the answer, and no other is begun. */
  session: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  /** Version 2: everything before this offset of its output has been received. */
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Version 2: takes the session from whoever is attached to it. */
  takeover: Type.Optional(Type.Boolean()),
})
export type AuthFrame = Static<typeof AuthFrame>

export const ResizeFrame = Type.Object({ type: Type.Literal('resize'), cols: Cols, rows: Rows })
export type ResizeFrame = Static<typeof ResizeFrame>

/** Version 2: everything before `offset` has been parsed by the client. */
export const AckFrame = Type.Object({ type: Type.Literal('ack'), offset: Type.Integer({ minimum: 0 }) })
export type AckFrame = Static<typeof AckFrame>

/** The control messages a client may send once the session is open. */
export const ClientFrame = Type.Union([ResizeFrame, AckFrame, AskControlFrame, GiveControlFrame, DeclineControlFrame])
export type ClientFrame = Static<typeof ClientFrame>

/** Everything but the type comes in version 2 only. */
export const AuthSuccessFrame = Type.Object({
  type: Type.Literal('auth_success'),
  sessionId: Type.Optional(Type.String()),
  /** Of the first byte of output that follows. */
  offset: Type.Optional(Type.Integer()),
  /** The size that the program has. */
  cols: Type.Optional(Cols),
  rows: Type.Optional(Rows),
  /** What runs: of a session that waited, perhaps not what was asked for. */
  mode: Type.Optional(Type.String()),
  /** Whether the session was there before. */
  resumed: Type.Optional(Type.Boolean()),
  /** So many bytes of the output that follows are from before: what an emulator answers to them must not be typed. */
  replay: Type.Optional(Type.Integer()),
  /** Whether it survives a restart of the server. */
  survives: Type.Optional(Type.Boolean()),
  /** What of it is recorded, see {@link RecordedFrame}. */
  recorded: Type.Optional(RecordedParts),
  /** How much input may be on its way, in bytes, see {@link TakenFrame}. */
  inputWindow: Type.Optional(Type.Integer()),
  /** Of which agent, and whose session it is: told to somebody who came by a link. */
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
  /** Its environment held a personal credential, and the agent was shared. */
  'now_shared',
  /** Its environment holds a personal credential, and the client came with an API token, or by a link that one made. */
  'personal_credential',
  'taken_over',
  'server_stopping',
  'engine_unavailable',
  'disconnected',
  'connection_lost',
  'failed_to_start',
] as const
export type EndReason = (typeof END_REASONS)[number]

/** Sent before the server closes. `reason` and `exitCode` come in version 2 only. */
export const ErrorFrame = Type.Object({
  type: Type.Literal('error'),
  message: Type.String(),
  close: Type.Optional(Type.Boolean()),
  reason: Type.Optional(Type.String()),
  exitCode: Type.Optional(Type.Integer()),
})
export type ErrorFrame = Static<typeof ErrorFrame>

/**
 * Version 2: what is on the screen is no part of what follows. A screen of `bytes` bytes follows as binary, to be written to an
 * emulator of that size; then the output from `offset` on, of which the first `replay` bytes are from before.
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

/** Version 2: every 15 s, so that a client notices a network that was lost without a word. */
export const AliveFrame = Type.Object({ type: Type.Literal('alive') })

/** Version 2: of the input that came over this socket, the first so many bytes do not wait any more. Sent at least every 64 KiB of them. */
export const TakenFrame = Type.Object({ type: Type.Literal('taken'), bytes: Type.Integer() })
export type TakenFrame = Static<typeof TakenFrame>

/** Version 2: the program has this size from here on, which somebody else has asked for. */
export const SizeFrame = Type.Object({ type: Type.Literal('size'), cols: Cols, rows: Rows })
export type SizeFrame = Static<typeof SizeFrame>

/** Version 2: what of the session is recorded from here on, which was otherwise until now. */
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

/** How long a session waits for its user who lost their socket, in seconds, unless the agent's settings say otherwise. */
export const KEEP_SECONDS_DEFAULT = 300
export const KEEP_SECONDS_MAX = 86_400

/** The sentences of the protocol's table, word for word: clients and tests rely on them. */
export const TERMINAL_MESSAGE = {
  expectedAuth: 'Expected auth message first',
  tokenRequired: 'Token required',
  invalidToken: 'Invalid token',
  authTimeout: 'Authentication timeout',
  invalidJson: 'Invalid JSON in auth message',
  accessDenied: "You don't have access to this agent",
  adminRequired: 'Admin access required',
  sessionExists: 'You already have an active terminal session for this agent',
  containerNotFound: (name: string) => `Agent '${name}' container not found`,
  notRunning: (name: string) => `Agent '${name}' is not running. Please start it first.`,
} as const
