/** Recordings of terminals. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../common.ts'

/**
 * - `recording`: its session continues
 * - `complete`: it ended with its session, or recording was switched off
 * - `cut`: the server was killed
 * - `disk_full`, `too_large`, `failed`: it ended before its session, because the disk was full, it reached the largest
 *   size of a recording, or it could not be written
 */
export const RECORDING_STATES = ['recording', 'complete', 'cut', 'disk_full', 'too_large', 'failed'] as const
export const RecordingState = Type.Enum(RECORDING_STATES)
export type RecordingState = (typeof RECORDING_STATES)[number]

export const Recording = Type.Object({
  /** The id of its session. */
  id: Type.String(),
  agent: Type.Object({ id: Type.String(), name: Type.String(), isSystem: Type.Boolean() }),
  /** The user of the terminal; `id` is null if the account is gone. */
  user: Type.Object({ id: Nullable(Type.String()), email: Type.String() }),
  /** The mode of its session. */
  mode: Type.String(),
  startedAt: Timestamp,
  endedAt: Nullable(Timestamp),
  /**
   * When it is deleted because of its age. It may be deleted earlier to make room for newer ones. Null while it
   * continues, and if recordings never expire.
   */
  expiresAt: Nullable(Timestamp),
  durationMs: Type.Integer(),
  /** Size of the file. */
  bytes: Type.Integer(),
  state: RecordingState,
  /** Whether it contains the input. */
  input: Type.Boolean(),
  /** Whether every user of the agent may see it. */
  shared: Type.Boolean(),
  /** Whether the caller may share and delete it. */
  mayManage: Type.Boolean(),
})
export type Recording = Static<typeof Recording>

export const UpdateRecording = Type.Object({ shared: Type.Boolean() }, { additionalProperties: false })
export type UpdateRecording = Static<typeof UpdateRecording>

/** Which parts of a session are recorded. */
export const RecordedParts = Type.Union([
  Type.Literal('nothing'),
  Type.Literal('output'),
  Type.Literal('output_and_input'),
])
export type RecordedParts = Static<typeof RecordedParts>
