/** How a coding CLI runs without a terminal, and how its output is read. Pure: nothing here starts a program. */
import type {
  AnswerDialog,
  DialogQuestion,
  ModelUsage,
  QuestionOf,
  RunHappening,
  RunReason,
  TextEvent,
} from '@slipway/protocol'
import type { McpServer } from './mcp/server.ts'

/** What one run asks of a CLI. All values are validated. */
export interface HeadlessOptions {
  readonly prompt: string
  /** The working folder, an absolute path. */
  readonly folder: string
  /** Never begins with a dash. Null: the CLI's own default. */
  readonly model: string | null
  /** A new UUID, which the CLI takes as the name of its session if it can. */
  readonly sessionId: string
  /** The CLI's own session to continue, or null. */
  readonly resume: string | null
  /** Whether that session stays as it is, and a new one begins with what was said in it. Absent: no. */
  readonly forks?: boolean
  /** Whether the CLI runs without its permission prompts. */
  readonly skips: boolean
  /** Whether the CLI only reads and plans. Absent: no. */
  readonly plans?: boolean
  /** Whether the environment holds a key that the CLI can use. Absent: no. */
  readonly hasKey?: boolean
  /** The variables of its credentials and of the agent. Absent: none. */
  readonly variables?: Readonly<Record<string, string>>
  readonly maxTurns: number | null
  readonly maxBudgetUsd: number | null
  /** MCP servers for this run, besides those of the CLI's own settings. Absent: none. */
  readonly servers?: readonly McpServer[]
  /** The folder with the skills of this run, for a CLI that takes them. Absent: it has none. */
  readonly skillsFolder?: string
}

/** What reading a process depends on besides its output. */
export interface ReadOptions extends Pick<HeadlessOptions, 'sessionId' | 'resume' | 'forks' | 'folder'> {
  /** What the CLI is asked for, if it is told so only over its protocol. Absent: its arguments say it. */
  readonly prompt?: string
  /** The same of its model. Null or absent: the CLI's own default. */
  readonly model?: string | null
  /**
   * The last totals that an earlier process printed of the session that this one resumes. Absent: none. Null: they are not
   * known, so what the process prints as totals does not tell its own share.
   */
  readonly totalsBefore?: readonly ModelUsage[] | null
}

/** The program of a run. */
export interface HeadlessProgram {
  readonly argv: readonly string[]
  /** Variables in addition to those of every session. */
  readonly env: Readonly<Record<string, string>>
  /** Its whole standard input. It contains the prompt, because arguments are bounded, and other programs see them. */
  readonly stdin: Uint8Array
  /**
   * A file of one line that the CLI takes only from root, and the variable that names its path. It is there for this
   * process alone. Absent: none.
   */
  readonly rootFile?: { readonly variable: string; readonly text: string }
}

/** What a CLI's output says about its end. */
export interface Verdict {
  /** The CLI's own session. Null: not named yet. */
  readonly sessionId: string | null
  /** The CLI's last answer; null before it has printed one. */
  readonly result: string | null
  /** Whether the CLI has said that its turn is over, or waits for the end of a usage limit. Then it should exit. */
  readonly isOver: boolean
  /** Whether it said or did anything. */
  readonly hasWorked: boolean
  /** Why the turn failed; null if the output names no failure. */
  readonly failure: Failure | null
  /** What this process has used, for each model, without what earlier processes used. Empty: the CLI does not tell. */
  readonly usage: readonly ModelUsage[]
  /**
   * What the CLI printed as the totals of its session, which a process that resumes the session continues. Empty or
   * absent: the CLI has printed none, or it counts each process by itself.
   */
  readonly totals?: readonly ModelUsage[]
  /** How many turns the model has begun. Absent: the CLI does not tell. */
  readonly turns?: number
  /** What this process has cost, in US dollars; null if the CLI does not tell. */
  readonly costUsd: number | null
}

/** A failure that a CLI has reported. */
export interface Failure {
  readonly reason: Extract<
    RunReason,
    'not_signed_in' | 'usage_limit' | 'session_lost' | 'max_turns' | 'max_budget' | 'cli_error'
  >
  /** The CLI's own message. */
  readonly message: string
  /** The model server's HTTP status, or null. */
  readonly status: number | null
  /** For a usage limit: when it ends, in milliseconds since 1970, or null. */
  readonly resetsAt: number | null
}

/** A line that continues a text, whose pieces a CLI prints line by line. */
export interface Delta {
  /** The same for all pieces of one text. */
  readonly stream: string
  readonly text: string
  /** The line with another text in its place. */
  with(text: string): string
}

/** What a CLI asks. The platform adds the grade of an approval. */
export type AskedQuestion =
  | Exclude<DialogQuestion, { kind: 'approval' }>
  | Omit<QuestionOf<'approval'>, 'tier' | 'reasons'>

/** A question to people that a CLI has printed. It waits for the answer. */
export interface Ask {
  /** The CLI's own id of the question. */
  readonly id: string
  readonly title: string
  readonly message: string | null
  readonly question: AskedQuestion
  /** All files that it would change, the gravest of which decides about its grade. Absent: that of the question. */
  readonly files?: readonly { readonly path: string; readonly isDeleted: boolean }[]
  /** What the CLI has printed, for the reply. */
  readonly printed: Readonly<Record<string, unknown>>
}

/** A line for the CLI's input that its protocol needs, besides answers of people. */
export interface Message {
  /** Names it among those of its process. The same lines of output give the same id. */
  readonly id: string
  /** Without its line feed. */
  readonly line: string
  /**
   * Whether the CLI would act on it twice. Then the transcript says that it was sent before it is written. Any other
   * message is written again if a server is killed before the CLI has reacted to it.
   */
  readonly once?: true
}

/** A message of a run's user for the turn that goes on. */
export interface UserMessage {
  readonly id: string
  readonly text: string
}

/** How a CLI asks people while it runs. */
export interface HeadlessPeople {
  /** How the output of such a run is followed. Absent: as without people. */
  readonly output?: Omit<HeadlessOutput, 'people'>
  /** The program of such a run. Its `stdin` is what is written first, and the input stays open. */
  program(options: HeadlessOptions): HeadlessProgram
  /** The lines for the CLI's input that answer a question. Null: people do not want to answer. */
  reply(ask: Ask, answer: AnswerDialog | null): string
  /** Whether a turn that goes on takes messages of its user, as `Reading.steering` gives them. Absent: no. */
  readonly steers?: true
}

/**
 * Reads the output of one process. It depends only on the lines that it was given, so the same lines give the same
 * happenings after a restart of the server. It accepts every text: a CLI is in the agent's hands.
 */
export interface Reading {
  /** Reads one line of standard output, without its line feed. `now` is in milliseconds since 1970. */
  line(text: string, now: number): readonly RunHappening[]
  /** The same for standard error. Absent: it says nothing that matters. */
  errorLine?(text: string, now: number): readonly RunHappening[]
  /**
   * The delta in a line of standard output. `aside`: a line that may stand between two deltas of one text. Null: any other
   * line, which ends all texts. It depends on this line alone. Absent: each line has whole texts.
   */
  delta?(text: string): Delta | 'aside' | null
  /**
   * The questions that wait for an answer, oldest first. The same array as long as none was added or removed. Absent: the
   * CLI asks no questions.
   */
  asks?(): readonly Ask[]
  /**
   * The messages that the CLI waits for, oldest first, until its output shows that it has them. Absent: none besides what
   * it reads first.
   */
  messages?(): readonly Message[]
  /** A message with `once` is being sent, so that it does not wait any more. */
  sent?(id: string): void
  /** The line for the CLI's input with a message of its user, for the turn that goes on. Null: none goes on. */
  steering?(message: UserMessage): string | null
  /**
   * The ids of the messages of its user that the CLI says it has not taken. The same array as long as none was added. Absent:
   * the CLI takes them all.
   */
  untaken?(): readonly string[]
  /** The line for the CLI's input that ends its turn early, so that it prints a result. Null: no turn goes on. */
  interruption?(): string | null
  /** Reads the beginning of a line that is too long to be read. Absent: it says nothing that matters. */
  longLine?(text: string): readonly RunHappening[]
  /** What the lines so far say. */
  verdict(): Verdict
}

/** How the output of a CLI is followed. */
export interface HeadlessOutput {
  /** Reads a new process. `options` are those that it was started with. */
  read(options: ReadOptions): Reading
  /** Whether SIGINT makes it print a result and exit. Otherwise an interrupt only ends it. */
  readonly answersInterrupt: boolean
  /**
   * How a run ends at a number of turns: by the CLI's own argument, or by the platform, which counts the turns. Absent:
   * neither is possible.
   */
  readonly limitsTurns?: 'argument' | 'counted'
  /** Whether the CLI itself ends at the budget that it is given. Absent: the platform ends it. */
  readonly limitsBudget?: true
  /** Absent: it cannot ask people. */
  readonly people?: HeadlessPeople
  /** The events each of which may be a piece of a text, whose other pieces come right before and after. Absent: none. */
  readonly inPieces?: readonly TextEvent[]
  /** Whether its first line may be its last. Then silence from the start says nothing. Absent: no. */
  readonly isQuiet?: boolean
}

/** What a CLI that can run without a terminal declares. */
export interface Headless extends HeadlessOutput {
  /** The program of a run. */
  program(options: HeadlessOptions): HeadlessProgram
  /** Whether it can only plan, and then changes nothing. Absent: no. */
  readonly plans?: true
  /** Whether it can begin a new session from another one. Absent: no. */
  readonly forks?: true
  /** Whether it takes MCP servers for one run. Absent: no. */
  readonly takesServers?: true
  /** Whether it takes a folder of skills for one run, with these variables. Absent: no. */
  takesSkills?(variables: Readonly<Record<string, string>>): boolean
  /** Why it cannot run with these options, as `field: reason`; null if it can. Absent: it always can. */
  refusal?(options: HeadlessOptions): string | null
  /** Why it cannot use the key of these variables, as a sentence; null if it may. Absent: keys have any form. */
  keyRefusal?(variables: Readonly<Record<string, string>>): string | null
}
