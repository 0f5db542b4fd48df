/** Recordings of terminals. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from './common.ts'

/**
 * `recording`: its session goes on. The others have ended: `complete` with its session, or because it was switched off; `cut` by a
 * server that was killed; and those that ended before their session did: the disk was full, it had become as large as one
 * may be, or it could not be written.
 */
export const RECORDING_STATES = ['recording', 'complete', 'cut', 'disk_full', 'too_large', 'failed'] as const
export const RecordingState = Type.Enum(RECORDING_STATES)
export type RecordingState = (typeof RECORDING_STATES)[number]

export const Recording = Type.Object({
  /** That of its session. */
  id: Type.String(),
  agent: Type.Object({ id: Type.String(), name: Type.String(), isSystem: Type.Boolean() }),
  /** Who had the terminal; `id` is null when they were deleted since. */
  user: Type.Object({ id: Nullable(Type.String()), email: Type.String() }),
  /** What ran. */
  mode: Type.String(),
  startedAt: Timestamp,
  endedAt: Nullable(Timestamp),
  /** When it is deleted for its age, if not sooner for the room that newer ones need; null while it goes on, and where none is. */
  expiresAt: Nullable(Timestamp),
  durationMs: Type.Integer(),
  /** Of the file. */
  bytes: Type.Integer(),
  state: RecordingState,
  /** Whether what was typed is in it. */
  input: Type.Boolean(),
  /** Whether everybody whom the agent is shared with may see it. */
  shared: Type.Boolean(),
  /** Whether the caller may share and delete it. */
  mayManage: Type.Boolean(),
})
export type Recording = Static<typeof Recording>

export const UpdateRecording = Type.Object({ shared: Type.Boolean() }, { additionalProperties: false })
export type UpdateRecording = Static<typeof UpdateRecording>

/** What of a session is recorded. */
export const RecordedParts = Type.Union([
  Type.Literal('nothing'),
  Type.Literal('output'),
  Type.Literal('output_and_input'),
])
export type RecordedParts = Static<typeof RecordedParts>
