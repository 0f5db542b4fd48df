/** What differs between the CLIs that speak the Agent Client Protocol (ACP), version 1. */
import type { ModelUsage, RunHappening } from '@slipway/protocol'
import type { Failure } from '../headless.ts'
import type { Fields } from '../parts/json.ts'
import type { RpcError } from '../parts/rpc.ts'

/** What a CLI says among the texts of its model. */
export interface Aside {
  readonly happenings: readonly RunHappening[]
  /** Why the turn has failed; null if this says nothing of it. */
  readonly failure: Failure | null
  /** Whether the answer broke off, and the next text begins it again. */
  readonly isRetry: boolean
}

/** What the CLI tells about a tool that has ended, besides what the protocol names. */
export interface ToolEnd {
  /** What the model reads; null if the CLI does not tell. */
  readonly text: string | null
  readonly exitCode: number | null
  /** Whether a user has not allowed it. */
  readonly isDenied: boolean
}

export interface AcpCli {
  /** Its name in sentences. */
  readonly label: string
  /** The id of the mode in which it asks people. */
  readonly mode: string
  /** Options of a session that are set after each mode, by their ids. Absent: none. */
  readonly options?: Readonly<Record<string, string>>
  /** The ids of its two answers to a question that count once. */
  readonly allowOnce: string
  readonly rejectOnce: string
  /** Whether it ends its turn if it is not allowed to do something. Otherwise the model goes on. */
  readonly stopsWhenDenied: boolean
  /**
   * Whether it asks one question at a time, and prints nothing else until it has the answer. Then each line that it prints
   * shows that it does not wait any more. Absent: no.
   */
  readonly asksAlone?: true
  /** Whether it may print a question before the input of its tool. Absent: no. */
  readonly asksEarly?: true
  /** Whether the title of a command is the command. Absent: only its input has it. */
  readonly titleIsCommand?: true
  /** The tool whose result is the plan. Absent: none. */
  readonly planTool?: string
  /** The name of the tool, in the first message about its call; null if the CLI does not name it. */
  toolIn(call: Fields): string | null
  /** Reads the field `rawOutput` of a tool that has ended. */
  endOf(rawOutput: Fields): ToolEnd
  /** What the whole process has used, in the answer to its only prompt; empty if the CLI does not tell. */
  usageIn(answer: Fields): readonly ModelUsage[]
  /** Why no prompt may be sent to a session, by the answer that names it; null if one may. Absent: it always may. */
  refusalOf?(session: Fields): Failure | null
  /** The method that begins a new session from another one. Absent: it has none. */
  readonly forks?: string
  /** Whether it refuses to continue a session because it does not have it. Absent: `failureOf` tells. */
  isLost?(error: RpcError): boolean
  /** What the refusal of a request means. */
  failureOf(error: RpcError, now: number): Failure
  /** What the CLI itself says in a piece of a text; null if it is the model's. Absent: all texts are the model's. */
  asideIn?(text: string, now: number): Aside | null
}
