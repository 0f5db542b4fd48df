import type { RunState } from '@slipway/protocol'
import type { Entry } from './entries.ts'
import { summaryOf } from './steps.ts'
import { isAsking, type WaitsFor } from '../taskState.ts'

/** What a task does at this moment. */
export interface Activity {
  readonly words: string
  /** A file or a command, which is shown as code. Empty if there is none. */
  readonly object: string
  /** Since when; null if that is not known. */
  readonly since: string | null
}

/** How many of the last rows may still run. Parallel calls are few. */
const LOOKED_AT = 50

/** What an active task does now. Null for one that has ended. */
export function activityOf(
  task: {
    readonly state: RunState
    readonly waitsFor: WaitsFor
    readonly startedAt: string | null
    readonly createdAt: string
    readonly cwd: string
  },
  entries: readonly Entry[],
): Activity | null {
  const gate = gateIn(entries)
  if (task.state === 'queued' && gate?.repair != null)
    return { words: `Repair ${gate.repair} begins`, object: '', since: gate.at }
  if (task.state === 'queued') return { words: 'In line', object: '', since: task.createdAt }
  if (task.state === 'starting') return { words: 'Starting', object: '', since: task.startedAt }
  if (isAsking(task.state, task.waitsFor))
    return { words: 'Waiting for an answer', object: '', since: entries.at(-1)?.at ?? null }
  if (task.state === 'waiting') return { words: 'Waiting for the usage limit to end', object: '', since: null }
  if (task.state !== 'running') return null
  const step = entries.slice(-LOOKED_AT).findLast((entry) => entry.kind === 'step' && entry.state === 'running')
  if (step?.kind === 'step') {
    const { verb, object } = summaryOf(step, task.cwd)
    return { words: verb, object, since: step.at }
  }
  if (gate?.state === 'running') return { words: 'Validating', object: '', since: gate.at }
  const last = entries.at(-1)
  return {
    words: last === undefined ? 'Waiting for the CLI' : 'Thinking',
    object: '',
    since: last?.at ?? task.startedAt,
  }
}

/** What the last event about the validation says that a task must pass; null if there is none. */
export function gateIn(entries: readonly Entry[]) {
  const last = entries.findLast((entry) => entry.kind === 'note' && entry.gate !== undefined)
  return last?.kind === 'note' && last.gate !== undefined ? { ...last.gate, id: last.id, at: last.at } : null
}
