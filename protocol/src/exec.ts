/** Programs that run in an agent without a terminal, as a CI job starts them. */
import Type, { type Static } from 'typebox'
import { Nullable } from './common.ts'

/** How long a program may run when the caller does not say, and the most that may be asked for, in seconds. */
export const EXEC_TIMEOUT_SECONDS_DEFAULT = 300
export const EXEC_TIMEOUT_SECONDS_MAX = 1800
/** Most that is kept of each output, in bytes: the end of it, where errors are told. */
export const EXEC_OUTPUT_BYTES = 1_048_576
/** Most characters of standard input. */
export const EXEC_STDIN_MAX = 1_048_576
/** Programs that one person may have running at once, over all agents. */
export const EXECS_PER_USER = 16

/** Linux takes 128 KiB for one argument (MAX_ARG_STRLEN), its end included; NUL cannot be in one. */
const Argument = Type.String({ maxLength: 131_071, pattern: '^[^\\u0000]*$' })

/** Names as a shell takes them; those of the platform's own marks are not given away. */
const VARIABLE_NAME_PATTERN = '^(?!SLIPWAY_)[A-Za-z_][A-Za-z0-9_]{0,127}$'
const Environment = Type.Unsafe<Record<string, string>>(
  Type.Object(
    {},
    { additionalProperties: Argument, propertyNames: { pattern: VARIABLE_NAME_PATTERN }, maxProperties: 64 },
  ),
)

export const ExecBody = Type.Object(
  {
    /** The program and its arguments, as they are: no shell looks at them. */
    argv: Type.Array(Argument, { minItems: 1, maxItems: 1024 }),
    /** Where it runs: inside `/home/developer`, links resolved. A relative folder is one of the home. */
    cwd: Type.Optional(Type.String({ minLength: 1, maxLength: 4095, pattern: '^[^\\u0000]*$' })),
    env: Type.Optional(Environment),
    stdin: Type.Optional(Type.String({ maxLength: EXEC_STDIN_MAX })),
    // No `default`: generators of clients take a field that has one for a field that has to be sent.
    timeoutSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: EXEC_TIMEOUT_SECONDS_MAX,
        description: `${EXEC_TIMEOUT_SECONDS_DEFAULT} where it is not said.`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type ExecBody = Static<typeof ExecBody>

export const ExecResult = Type.Object({
  /** Null where it did not end by itself, or the engine cannot tell. */
  exitCode: Nullable(Type.Integer()),
  /** The last {@link EXEC_OUTPUT_BYTES} of each; bytes that are no UTF-8 are replaced. */
  stdout: Type.String(),
  stderr: Type.String(),
  /** Whether the beginning of either output is missing. */
  truncated: Type.Boolean(),
  timedOut: Type.Boolean(),
  /** Whether the agent's memory limit took it. */
  outOfMemory: Type.Boolean(),
  durationMs: Type.Integer(),
})
export type ExecResult = Static<typeof ExecResult>
