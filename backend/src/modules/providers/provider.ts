/** What a coding CLI declares about itself. Tables and pure functions: nothing here starts a program. */
import type { CredentialService } from '@slipway/protocol'
import type { Headless, HeadlessOptions, HeadlessProgram } from './headless/headless.ts'
import type { McpServer } from './headless/mcp/server.ts'

/** A file that is written into a new home, where it does not exist yet. */
export interface HomeFile {
  /** Relative to the home. */
  readonly path: string
  readonly mode: number
  readonly content: string
}

/** A question of the CLI about a key, which is answered before the CLI starts. */
export interface KeyApproval {
  /** The environment variable that holds the key. */
  readonly variable: string
  /** A Node.js module that runs in the container, with {@link inputOf} on its standard input. */
  readonly script: string
  /** What the CLI remembers of the key. */
  inputOf(key: string): string
}

/** A file of a home that holds what a CLI signs in with. */
export interface HomeTrace {
  /** Relative to the home. */
  readonly path: string
  /**
   * A regular expression (with the flag `m`) that matches the file's text. Its time must stay short for hostile text,
   * too.
   */
  readonly has: string
}

/** What decides about the arguments of a CLI in a terminal. */
export interface TerminalOptions {
  /** `--model M`, or nothing. */
  readonly model: readonly string[]
  /** Whether the CLI runs without its permission prompts. */
  readonly skips: boolean
  /** Whether the environment holds a key that the CLI can use. */
  readonly hasKey: boolean
  /** The variables of its credentials and of the agent. */
  readonly variables: Readonly<Record<string, string>>
  /** The CLI's own session that continues; null: a new one. It never begins with a dash. */
  readonly resume: string | null
  /** What it begins with; empty: its interface starts empty. */
  readonly prompt: string
  /** A UUID that it takes as the name of a new session if it can; null: it chooses one. */
  readonly newSession: string | null
}

/** A program and its variables. */
export type TerminalProgram = Pick<HeadlessProgram, 'argv' | 'env'>

/** One coding CLI, or bash. */
export interface Provider {
  /** The `runtime` of an agent, as the API names it. */
  readonly id: string
  /** The `mode` of a terminal session, as the API and the database name it. */
  readonly mode: string
  /** The name that users read. */
  readonly label: string
  /** Whether the platform's own image has it, and the create form offers it. */
  readonly inImage: boolean
  /** The services whose keys it can use, the preferred one first. Absent: unknown, so it is given every credential. */
  readonly services?: readonly CredentialService[]
  /** The variable with its key, if no credential is for its service. A user sets it as a variable of the agent. */
  readonly keyVariable?: string
  /** Models that the create form suggests, as the version of the image lists them. Aliases of a CLI outlive its models. */
  readonly models?: readonly string[]
  /** Whether {@link terminalArgv} respects `resume`. */
  readonly canResume?: true
  /** Whether {@link terminalArgv} respects `newSession`. */
  readonly takesNewSession?: true
  /** Whether {@link terminalArgv} respects `skips`. */
  readonly canSkipPermissions?: true
  /** The program of a terminal. */
  terminalArgv(options: TerminalOptions): readonly string[]
  /**
   * The same program with MCP servers for its session alone, of which there are some. `mark` is a text that no argument
   * contains. Absent: it takes none.
   */
  terminalWithServers?(program: TerminalProgram, servers: readonly McpServer[], mark: string): TerminalProgram
  /**
   * The program of a task on a terminal that gives its answer as plain text, with the prompt as an argument: the standard
   * input is the terminal. Absent: there is none.
   */
  plainArgv?(options: HeadlessOptions): readonly string[]
  /** That program is a login shell, which reads ~/.profile itself. */
  readonly isLoginShell?: true
  /**
   * How a user signs in within the terminal. A text with a leading slash is a command of the CLI, any other one of
   * bash.
   */
  readonly signIn?: string
  /** The ways in which files of the home sign it in. A way needs all of its files. Absent: unknown. */
  readonly signedInBy?: readonly (readonly HomeTrace[])[]
  /** Variables for a terminal without a key, neither from a credential nor in the home. */
  readonly envWithoutKey?: Readonly<Record<string, string>>
  /** One line for the user of such a terminal. */
  readonly noticeWithoutKey?: string
  /** Files that answer its first-run questions. */
  readonly homeFiles?: readonly HomeFile[]
  readonly keyApproval?: KeyApproval
  /** How a user installs it in a terminal, if the agent's image does not have it. */
  readonly installCommand?: string
  /** How it runs without a terminal. Absent: it cannot, or is not known to. */
  readonly headless?: Headless
}

/**
 * The longest argument that Linux accepts, in bytes with its terminating NUL (`MAX_ARG_STRLEN`), and what an option's name
 * before a prompt may take of it.
 */
const ARGUMENT_BYTES = 131_072
const OPTION_BYTES = 32
/** The longest prompt that a program gets as an argument, in bytes of UTF-8. */
export const PROMPT_ARGUMENT_BYTES = ARGUMENT_BYTES - OPTION_BYTES

/** A prompt as the last argument. One that begins with a dash is no option; an empty one is no argument. */
export const promptLast = (prompt: string): readonly string[] => (prompt === '' ? [] : ['--', prompt])

/** `"NAME": "anything"` in a JSON file. */
export const jsonText = (name: string): string => `"(?:${name})"\\s*:\\s*"[^"]`

/** Replaces a missing key. It is no secret, and an error message that quotes it explains itself. */
export const PLACEHOLDER_KEY = 'no-key-is-set'

/** The text of a JSON configuration file. */
export const jsonFile = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
