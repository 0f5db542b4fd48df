/** Runs one command of a validation as a program that the container holds. */
import { stripVTControlCharacters } from 'node:util'
import {
  type CheckResult,
  EXEC_TIMEOUT_SECONDS_MAX,
  type ExecResult,
  VALIDATION_OUTPUT_MAX,
  type ValidationCheck,
} from '@slipway/protocol'
import { SECOND_MS } from '../../lib/time/clock.ts'
import type { Found } from '../agents/service.ts'
import type { ExecService } from '../exec/service.ts'
import type { Masking } from '../runs/output/masking.ts'
import { OutputTail } from '../sessions/output-tail.ts'
import { testsIn } from './counts.ts'
import { reasonOf } from './verdict.ts'

/** Longest end of the output that is searched for counts and masked, in bytes. */
const TAIL_BYTES = 262_144
/** With it, programs neither watch for changes nor ask. */
const ENVIRONMENT = { CI: '1', NO_COLOR: '1' }

/** Where a command runs. */
export interface CheckContext {
  /** In whose name it runs, with the rights that they have now. Throws if these do not suffice any more. */
  readonly found: () => Promise<Found>
  /** Absolute: the root of the project, or of its copy. */
  readonly root: string
  readonly masking: Masking
  /** When its time is over, in milliseconds of `performance.now()`. */
  readonly until: number
  /** Aborted when the validation is ended. */
  readonly signal: AbortSignal
  /** Called if it holds a credential of its user's own. */
  readonly personal: () => void
  /** Called when it runs, with the end of its output so far. */
  readonly live: (output: () => string) => void
}

/** Resolves when the command has ended. Throws what {@link ExecService.run} and `found` throw. */
export const runCheck = async (
  execs: Pick<ExecService, 'run'>,
  { argv, folder, kind }: ValidationCheck,
  { found, root, masking, until, signal, personal, live }: CheckContext,
): Promise<CheckResult> => {
  const leftMs = until - performance.now()
  if (leftMs < SECOND_MS) return { ...NOT_RUN, reason: 'timed_out' }
  const tail = new OutputTail(TAIL_BYTES)
  live(() => shownOf(tail, masking))
  const body = {
    argv: [...argv],
    cwd: folder === '' ? root : `${root}/${folder}`,
    env: ENVIRONMENT,
    timeoutSeconds: Math.min(EXEC_TIMEOUT_SECONDS_MAX, Math.floor(leftMs / SECOND_MS)),
  }
  const result = await execs.run(body, {
    // Asked now: the command may have waited behind others for hours.
    caller: async () => (await found()).caller,
    locate: found,
    left: signal,
    onStart: (_, open) => {
      if (open.personal) personal()
    },
    onOutput: (_, chunk) => tail.append(chunk),
  })
  return resultOf(kind, result, { text: masking.mask(tail.text), isTruncated: tail.isTruncated })
}

/** How much of the end is masked for output that is still growing, in UTF-16 code units. What is shown is the end of it. */
const LIVE_MAX = 4 * VALIDATION_OUTPUT_MAX

/** What a command that runs has printed, without known secrets, and without one that may be incomplete at the end. */
const shownOf = (tail: OutputTail, masking: Masking): string => {
  const text = tail.text.slice(-LIVE_MAX)
  const masked = masking.mask(text.slice(0, masking.search.begun(text)))
  return stripVTControlCharacters(masked).slice(-VALIDATION_OUTPUT_MAX).toWellFormed()
}

const NOT_RUN = { exitCode: null, durationMs: 0, tests: null, output: '', truncated: false } as const

const resultOf = (
  kind: ValidationCheck['kind'],
  { exitCode, durationMs, timedOut, outOfMemory }: ExecResult,
  { text, isTruncated }: { readonly text: string; readonly isTruncated: boolean },
): CheckResult => {
  // The database stores every character except NUL.
  const output = stripVTControlCharacters(text).replaceAll('\0', '\uFFFD')
  const tests = kind === 'build' ? null : testsIn(output)
  return {
    exitCode,
    durationMs,
    tests,
    reason: reasonOf({ kind, exitCode, tests, timedOut, outOfMemory, output }),
    output: output.slice(-VALIDATION_OUTPUT_MAX),
    truncated: isTruncated || output.length > VALIDATION_OUTPUT_MAX,
  }
}
