/** Terminals in which tasks run: the terminals open and end them, and the tasks follow them. */
import type { Provision } from '../credentials/provision/provision.ts'
import type { Found } from '../agents/service.ts'
import type { Facts } from '../audit/audit.ts'
import type { Claim } from './claim.ts'
import type { Ending } from './ending.ts'
import type { SessionEnd } from './records/records.ts'

/** How long the terminal of a task waits for its user, and for the next server, in seconds: a day. */
export const TASK_KEEP_SECONDS = 86_400

/** A terminal to open for a task. */
export interface TaskTerminalRequest {
  /** Its session has the task's id, and its mode is that of the task's CLI. */
  readonly claim: Claim
  /** The working folder, an absolute path. */
  readonly folder: string
  readonly model: string | null
  /** What the CLI begins with; empty: its interface starts empty. */
  readonly prompt: string
  /** Whether the CLI runs without its permission prompts. */
  readonly skips: boolean
  /** A new UUID, which the CLI takes as the name of its session if it can. */
  readonly newSession: string
  /** The CLI's own session that continues, or null. */
  readonly resume: string | null
  /** Facts about its start for the audit log. */
  readonly facts: Facts
  /** Called before the program starts, with what it is given. If it rejects, nothing starts. */
  prepare(containerId: string, given: Provision): Promise<void>
}

/** What follows a terminal: as an observer of its session. */
export interface TerminalFollower {
  readonly backlog: number
  /** The container keeps the output after this offset. */
  readonly keptTo: number
  output(chunk: Uint8Array, offset: number): void
  /** The session has ended, or this backend leaves it. */
  ended(): void
  failed(): void
}

/** How a terminal was over for this backend. */
export interface TerminalOver {
  readonly ending: Ending
  /** Its program goes on without this backend. */
  readonly goesOn: boolean
}

/** The terminal of a task. */
export interface TaskTerminal {
  readonly sessionId: string
  /** Settles once. */
  readonly over: Promise<TerminalOver>
  /** Resolves when none of its processes is left. Rejects if they could not be ended. */
  readonly gone: Promise<void>
  /** The offsets of the oldest output that is kept, and of the next output. */
  readonly start: number
  readonly offset: number
  /** The output from an offset on that is kept. */
  read(offset: number): Uint8Array
  /** Calls the follower with all output from now on. */
  follow(follower: TerminalFollower): void
  /** Call it when a follower has consumed output. */
  consumed(): void
  /** Types for its user. False: the program has not read its earlier input, so this was not typed. */
  type(data: Uint8Array): boolean
  resize(cols: number, rows: number): void
  /** Ends it, once: with its processes. */
  end(ending: Ending): void
}

/** Opens terminals for tasks. */
export interface TaskTerminals {
  /**
   * Throws `TERMINAL_OPEN` if the user has as many terminals in the agent as its settings allow. If it throws, nothing is
   * left.
   */
  open(request: TaskTerminalRequest): Promise<TaskTerminal>
}

/** What the terminals know of tasks. */
export interface TerminalTasks {
  /** Sets who opens the terminals. Call it once, before any task starts. */
  openWith(opener: TaskTerminals): void
  /** This backend has taken over a terminal that an earlier one left. */
  adopted(terminal: TaskTerminal, found: Found): void
  /** The session, which an earlier backend left, has ended without a backend. */
  gone(sessionId: string, reason: SessionEnd['reason']): void
}
