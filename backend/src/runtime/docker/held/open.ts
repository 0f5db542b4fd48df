/** Starts programs in a holder, attaches to them, and lists them. */
import type { Duplex } from 'node:stream'
import { AGENT_HOME } from '@slipway/protocol'
import type Docker from 'dockerode'
import { RuntimeError } from '../../errors.ts'
import {
  type Attached,
  LOG_BYTES_MAX,
  LOG_BYTES_MIN,
  type Offsets,
  type Program,
  type ProgramSpec,
  TERMINAL_LOG_BYTES,
} from '../../program.ts'
import { type ExecContext, environment } from '../program/context.ts'
import { toRuntimeError } from '../errors.ts'
import { feed } from '../program/feed.ts'
import { startInTime } from '../program/start-in-time.ts'
import { type Ability, FOLDER, type HolderBinary, holderArgv, MISSING } from './binary.ts'
import { greet, type Greeted } from './greet.ts'
import { HeldProgram } from './held-program.ts'

/** Exit code of a holder that does not have the session. */
const NONE = 3
/** Exit code of a holder if the folder does not exist, or is outside the home. */
const BAD_FOLDER = 6
/**
 * Exit codes of engines for a missing binary, and for another architecture, which some report only as text. Also the
 * one of an older binary for unknown arguments.
 */
const NOT_ABLE: readonly number[] = [126, 127, 2]
const OTHER_ARCHITECTURE = /exec format error/i
const LIST_WITHIN_MS = 15_000
const EXPLAINED_WITHIN_MS = 2_000
/** Longest list of sessions, in bytes: more than a container has processes for. */
const LIST_BYTES = 65_536

/** The context of held programs. */
export interface HeldContext extends ExecContext {
  readonly binary: HolderBinary
}

/** Fails with `unsupported` if the container cannot run a holder, or with `bad_folder`. */
export const startHeld = async (context: HeldContext, spec: ProgramSpec): Promise<Program> => {
  const spoken = await speak(context, wordsFor(spec))
  const program = programOf(context, spec.session, spoken)
  const { io } = spec
  if (io.kind === 'pipes' && typeof io.stdin !== 'string') feed(program, io.stdin)
  return program
}

const wordsFor = (spec: ProgramSpec): Words => {
  const { io, session, argv, env, folder } = spec
  const bytes = Math.min(Math.max(spec.logBytes, LOG_BYTES_MIN), LOG_BYTES_MAX)
  const [keep, log] = [String(spec.keepSeconds), String(bytes)]
  if (io.kind === 'pipes') {
    const input = io.stdin === 'none' ? 'no-input' : 'input'
    const args = ['hold', FOLDER, session, keep, log, spec.whenFull, input, '0', '0', folder, ...argv]
    return { ability: 'programs', args, env, cwd: AGENT_HOME }
  }
  const [cols, rows] = [String(io.cols), String(io.rows)]
  const withNotice = io.notice === null ? env : { ...env, SLIPWAY_NOTICE: io.notice }
  const words = { env: withNotice, cwd: folder }
  // A container of an older image can hold these terminals with its own binary.
  if (bytes === TERMINAL_LOG_BYTES && spec.whenFull === 'drop')
    return { ...words, ability: 'terminals', args: ['serve', FOLDER, session, keep, cols, rows, ...argv] }
  const args = ['hold', FOLDER, session, keep, log, spec.whenFull, 'terminal', cols, rows, '.', ...argv]
  return { ...words, ability: 'programs', args }
}

/** Attaches, and gets all kept output from these offsets on. Null if the session is not held. */
export const attachHeld = async (context: HeldContext, session: string, asked: Offsets): Promise<Attached | null> => {
  // An older binary does not know the second output. Without an offset, the newer ones begin it at 0.
  const offsets = asked.stderr === 0 ? [asked.stdout] : [asked.stdout, asked.stderr]
  const args = ['attach', FOLDER, session, ...offsets.map(String)]
  const ability = offsets.length === 1 ? 'terminals' : 'programs'
  try {
    const spoken = await speak(context, { ability, args, env: {}, cwd: '/' })
    const { socket, held } = spoken
    const { size, takesInput, hasEnded, from, to } = held
    if (from.stdout < asked.stdout || from.stderr < asked.stderr) {
      socket.destroy()
      throw new RuntimeError('start_failed', 'the holder says that less was printed than is stored')
    }
    return { program: programOf(context, session, spoken), size, takesInput, hasEnded, from, to }
  } catch (error) {
    if (error instanceof NotThereError && error.exitCode === NONE) return null
    throw error
  }
}

const programOf = (context: HeldContext, session: string, { socket, held }: Spoken): Program =>
  new HeldProgram({ context, socket, held, isStillHeld: () => isHeld(context, session) })

/** The sessions that are held. Fails with `unsupported` if the container cannot run a holder. */
export const listHeld = (context: HeldContext): Promise<string[]> =>
  withProgram(context, async () => {
    const argv = holderArgv(context.binary.path, 'terminals', ['list', FOLDER])
    const { exitCode, stdout } = await context.run({ argv, timeoutMs: LIST_WITHIN_MS, maxOutputBytes: LIST_BYTES })
    if (exitCode !== 0) throw new NotThereError(exitCode)
    return stdout.toString('latin1').split('\n').filter(Boolean)
  })

/** If the container does not respond, true is assumed, so that it is asked again later. */
const isHeld = (context: HeldContext, session: string): Promise<boolean> =>
  listHeld(context).then(
    (held) => held.includes(session),
    () => true,
  )

/** The launcher has ended without a greeting. */
class NotThereError extends RuntimeError {
  readonly exitCode: number

  constructor(exitCode: number) {
    super(exitCode === MISSING ? 'unsupported' : 'start_failed', `the holder ended with ${exitCode}`)
    this.exitCode = exitCode
  }
}

const isMissing = (error: unknown): boolean => error instanceof NotThereError && error.exitCode === MISSING

/** If no binary runs in the container, copies one and tries again. */
const withProgram = async <T>(context: HeldContext, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!isMissing(error)) throw error
    return put(context, work)
  }
}

const put = async <T>(context: HeldContext, work: () => Promise<T>): Promise<T> => {
  await context.binary.put((run) => context.run(run))
  return work()
}

interface Words {
  readonly ability: Ability
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

interface Spoken {
  readonly socket: Duplex
  readonly held: Greeted
}

const speak = async (context: HeldContext, words: Words): Promise<Spoken> => {
  const start = (): Promise<Spoken> => startInTime((abortSignal) => startAndGreet(context, words, abortSignal))
  try {
    return await start()
  } catch (error) {
    if (!isMissing(error)) throw error
    const isNews = context.binary.noteMissing(context.containerId, words.ability)
    return isNews ? await withProgram(context, start) : await put(context, start)
  }
}

const startAndGreet = async (
  context: HeldContext,
  { ability, args, env, cwd }: Words,
  abortSignal: AbortSignal,
): Promise<Spoken> => {
  const exec = await context.docker.getContainer(context.containerId).exec({
    Cmd: context.binary.argvFor(context.containerId, ability, args),
    Env: environment(env),
    WorkingDir: cwd,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    abortSignal,
  })
  const died = new Promise<number>((resolve) => context.exits.once(exec.id, resolve))
  try {
    const socket: Duplex = await exec.start({ hijack: true, stdin: true, abortSignal })
    return { socket, held: await greet(socket) }
  } catch (error) {
    const failure = toRuntimeError(error)
    if (failure.code === 'start_failed') await explain(exec, died, failure.message)
    throw failure
  } finally {
    context.exits.forget(exec.id)
  }
}

/** Throws the cause of a missing greeting, as far as the launcher's exit code tells it. */
const explain = async (exec: Docker.Exec, died: Promise<number>, complaint: string): Promise<void> => {
  // The launcher has ended, or the engine does not respond, and this limits the wait.
  const late = new Promise<null>((resolve) => setTimeout(resolve, EXPLAINED_WITHIN_MS, null).unref())
  const exitCode = await Promise.race([endOfFailed(exec), died, late])
  if (exitCode === NONE) throw new NotThereError(NONE)
  if (exitCode === BAD_FOLDER) throw new RuntimeError('bad_folder', 'not a folder inside the home')
  const isMissing = exitCode === MISSING || (exitCode !== null && NOT_ABLE.includes(exitCode))
  if (isMissing || OTHER_ARCHITECTURE.test(complaint)) throw new NotThereError(MISSING)
}

/** If an exec could not be started, there is no event for its end. */
const endOfFailed = (exec: Docker.Exec): Promise<number> =>
  new Promise((resolve) => {
    const told = ({ Running, ExitCode }: Docker.ExecInspectInfo): void => {
      if (!Running && ExitCode !== null) resolve(ExitCode)
    }
    void exec.inspect().then(told, () => undefined)
  })
