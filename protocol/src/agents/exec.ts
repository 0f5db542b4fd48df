/** Programs that run in an agent without a terminal, for example for a CI job. */
import Type, { type Static } from 'typebox'
import { Nullable } from '../common.ts'

/** The default and the longest time limit of a program, in seconds. */
export const EXEC_TIMEOUT_SECONDS_DEFAULT = 300
export const EXEC_TIMEOUT_SECONDS_MAX = 1800
/** Longest part of each output that is kept, in bytes. It is the end, where error messages are. */
export const EXEC_OUTPUT_BYTES = 1_048_576
/** Most characters of standard input. */
export const EXEC_STDIN_MAX = 1_048_576
/** Programs that one user may run at the same time, over all agents. */
export const EXECS_PER_USER = 16

/** Linux allows 128 KiB for one argument with its terminator (MAX_ARG_STRLEN). An argument cannot contain NUL. */
const Argument = Type.String({ maxLength: 131_071, pattern: '^[^\\u0000]*$' })

/** Names as a shell accepts them, except those that the platform uses for its own marks. */
const VARIABLE_NAME_PATTERN = '^(?!SLIPWAY_)[A-Za-z_][A-Za-z0-9_]{0,127}$'
const Environment = Type.Unsafe<Record<string, string>>(
  Type.Object(
    {},
    { additionalProperties: Argument, propertyNames: { pattern: VARIABLE_NAME_PATTERN }, maxProperties: 64 },
  ),
)

export const ExecBody = Type.Object(
  {
    /** The program and its arguments, unchanged: no shell parses them. */
    argv: Type.Array(Argument, { minItems: 1, maxItems: 1024 }),
    /** The working folder, inside `/home/developer` with links resolved. A relative path starts at the home. */
    cwd: Type.Optional(Type.String({ minLength: 1, maxLength: 4095, pattern: '^[^\\u0000]*$' })),
    env: Type.Optional(Environment),
    stdin: Type.Optional(Type.String({ maxLength: EXEC_STDIN_MAX })),
    // No `default`, because client generators treat a field with a default as required.
    timeoutSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: EXEC_TIMEOUT_SECONDS_MAX,
        description: `${EXEC_TIMEOUT_SECONDS_DEFAULT} by default.`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type ExecBody = Static<typeof ExecBody>

export const ExecResult = Type.Object({
  /** Null if it did not end by itself, or if the engine cannot tell. */
  exitCode: Nullable(Type.Integer()),
  /** The last {@link EXEC_OUTPUT_BYTES} of each output; bytes that are not UTF-8 are replaced. */
  stdout: Type.String(),
  stderr: Type.String(),
  /** Whether the beginning of either output is missing. */
  truncated: Type.Boolean(),
  timedOut: Type.Boolean(),
  /** Whether it was killed because the agent's memory ran out. */
  outOfMemory: Type.Boolean(),
  durationMs: Type.Integer(),
})
export type ExecResult = Static<typeof ExecResult>
