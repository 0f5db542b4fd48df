/** The changes of a patch, which several CLIs name alike. */
import type { RunHappening } from '@slipway/protocol'

export type Change = Extract<RunHappening, { type: 'file_change' }>['change']

/** A file that a tool has changed. */
export interface FileChange {
  readonly path: string
  readonly change: Change
}

/** Most files of one patch that get an event. */
export const CHANGES_MAX = 1_000

const CHANGES: ReadonlyMap<unknown, Change> = new Map([
  ['add', 'added'],
  ['update', 'modified'],
  ['delete', 'deleted'],
])

/** The change of a file that a patch names; undefined for anything else. */
export const changeIn = (value: unknown): Change | undefined => CHANGES.get(value)
