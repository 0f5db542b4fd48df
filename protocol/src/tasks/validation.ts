/** Whether a project's own checks pass after a task: its builds and its tests. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../common.ts'

/** The default and the longest time limit of a validation, in seconds. What it repeats at the start gets as much again. */
export const VALIDATION_TIMEOUT_SECONDS_DEFAULT = 600
export const VALIDATION_TIMEOUT_SECONDS_MAX = 1800
/** Longest shell command that replaces what would be found, in UTF-16 code units. */
export const VALIDATION_COMMAND_MAX = 4096
/** The end of each command's output that is kept, in UTF-16 code units. */
export const VALIDATION_OUTPUT_MAX = 16_384

/**
 * - `waiting`: for the end of its task
 * - `failing_before`: what fails failed at the start of the task, too
 * - `not_verified`: nothing is known, and the reason says why
 */
export const VALIDATION_STATES = ['waiting', 'running', 'passed', 'failed', 'failing_before', 'not_verified'] as const
export const ValidationState = Type.Enum(VALIDATION_STATES)
export type ValidationState = (typeof VALIDATION_STATES)[number]

/** Why nothing is known. */
export const VALIDATION_REASONS = [
  'no_package',
  'unreadable',
  'no_scripts',
  'nothing_changed',
  'too_many_packages',
  'dependencies_missing',
  'manager_missing',
  'no_network',
  'no_tests',
  'watch_mode',
  'timed_out',
  'out_of_memory',
  'agent_stopped',
  'task_not_completed',
  'not_started',
  'cancelled',
  'interrupted',
] as const
export const ValidationReason = Type.Enum(VALIDATION_REASONS)
export type ValidationReason = (typeof VALIDATION_REASONS)[number]

export const PACKAGE_MANAGERS = ['npm', 'yarn', 'pnpm', 'bun'] as const
export const PackageManager = Type.Enum(PACKAGE_MANAGERS)
export type PackageManager = (typeof PACKAGE_MANAGERS)[number]

export const ValidateOptions = Type.Object(
  {
    /** A shell command in place of what would be found. */
    command: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: VALIDATION_COMMAND_MAX,
        pattern: '^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$',
      }),
    ),
    timeoutSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: VALIDATION_TIMEOUT_SECONDS_MAX,
        description: `${VALIDATION_TIMEOUT_SECONDS_DEFAULT} by default.`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type ValidateOptions = Static<typeof ValidateOptions>

/** The tests of a command, as its test runner counts them. */
export const TestCounts = Type.Object({
  total: Type.Integer(),
  passed: Type.Integer(),
  failed: Type.Integer(),
  /** Skipped, or still to be written. */
  skipped: Type.Integer(),
})
export type TestCounts = Static<typeof TestCounts>

export const CheckResult = Type.Object({
  /** Of the command itself; null if it did not end by itself. */
  exitCode: Nullable(Type.Integer()),
  durationMs: Type.Integer(),
  /** Null if its output has no counts that are known. */
  tests: Nullable(TestCounts),
  /** Why it says nothing, or null. */
  reason: Nullable(ValidationReason),
  /** The last {@link VALIDATION_OUTPUT_MAX} of both outputs together, without known secrets. */
  output: Type.String(),
  /** Whether the beginning of the output is missing. */
  truncated: Type.Boolean(),
})
export type CheckResult = Static<typeof CheckResult>

export const ValidationCheck = Type.Object({
  /** The program and its arguments. No shell parses them, except those of a person's own command: `sh -c` and the command. */
  argv: Type.Array(Type.String()),
  /** Its folder, relative to the root; empty for the root. */
  folder: Type.String(),
  kind: Type.Enum(['build', 'test', 'command'] as const),
  /** The folder of the package that it checks, relative to the root. */
  package: Type.String(),
  /** Null until it has ended. */
  after: Nullable(CheckResult),
  /** The same at the start of the task; null if it was not needed or could not be. */
  before: Nullable(CheckResult),
})
export type ValidationCheck = Static<typeof ValidationCheck>

/** What a validation found and ran. */
export const ValidationEvidence = Type.Object({
  /** The folder of the root's package.json, or null. */
  root: Nullable(Type.String()),
  /** Whose choice the commands are: a person's command, the packages that changed, or the root's scripts. */
  kind: Nullable(Type.Enum(['command', 'packages', 'root'] as const)),
  manager: Nullable(PackageManager),
  /** What named the manager. */
  managerFrom: Nullable(Type.Enum(['packageManager', 'lock_file', 'default'] as const)),
  checks: Type.Array(ValidationCheck),
})
export type ValidationEvidence = Static<typeof ValidationEvidence>

/** A command of a validation that runs now. */
export const RunningCheck = Type.Object({
  /** Its place in `checks`. */
  check: Type.Integer(),
  /** `before`: it is repeated at the start of the task. */
  when: Type.Enum(['after', 'before'] as const),
  /** The last {@link VALIDATION_OUTPUT_MAX} of its output so far, without known secrets. */
  output: Type.String(),
})
export type RunningCheck = Static<typeof RunningCheck>

export const Validation = Type.Object({
  sessionId: Type.String(),
  state: ValidationState,
  /** In the state `not_verified`; otherwise null. */
  reason: Nullable(ValidationReason),
  /** The reason as a sentence. */
  message: Nullable(Type.String()),
  ...ValidationEvidence.properties,
  /** The command that runs now, or null. */
  running: Nullable(RunningCheck),
  /** Null while it waits. */
  startedAt: Nullable(Timestamp),
  endedAt: Nullable(Timestamp),
})
export type Validation = Static<typeof Validation>
