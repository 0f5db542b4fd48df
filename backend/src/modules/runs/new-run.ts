/** What a run is when it is stored first. */
import type { RunMode, RunPolicy, ValidateOptions, ValidationState, WorktreeMode } from '@slipway/protocol'
import type { Proof } from '../identity/caller.ts'
import type { ProviderOfRun } from '../providers/task-provider.ts'

/** A run to store. */
export interface NewRun extends ProviderOfRun {
  readonly id: string
  readonly mode: RunMode
  readonly agentId: string
  readonly agentName: string
  readonly userId: string
  readonly prompt: string
  readonly cwd: string
  readonly model: string | null
  /** 0: no limit. */
  readonly timeoutSeconds: number
  readonly maxTurns: number | null
  readonly maxBudgetUsd: number | null
  readonly resumed: string | null
  /** Whether the session that it continues stays as it is. Absent: no. */
  readonly forks?: boolean
  readonly cliSessionId: string | null
  /** The session of its current process. */
  readonly sessionId: string
  /** How its user had authenticated; null for runs from before there was a line. */
  readonly via: Proof['kind'] | null
  readonly viaId: string | null
  readonly queue: boolean
  readonly waitsForLimit: boolean
  /** Absent: null. */
  readonly policy?: RunPolicy | null
  /** Absent or null: the agent's setting counts. */
  readonly worktree?: WorktreeMode | null
  /** Absent: no validation by itself. */
  readonly validate?: ValidateOptions
  readonly validation?: ValidationState | null
  /** How many repairs its gate allows. Absent or null: it has no gate. */
  readonly gateRepairs?: number | null
  readonly createdAt: Date
}
