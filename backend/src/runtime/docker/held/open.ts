/** Starts a program that a holder keeps, and finds again what is kept. */
import type { Duplex } from 'node:stream'
import { AGENT_HOME } from '@slipway/protocol'
import type Docker from 'dockerode'
import { RuntimeError } from '../../errors.ts'
import type { AttachedProgram, ContainerRuntime, Program, ProgramOptions, RunOptions, RunResult } from '../../port.ts'
import { toRuntimeError } from '../errors.ts'
import { AGENT_USER } from '../profile.ts'
import { environment, type ExecContext } from '../pty.ts'
import { startInTime } from '../start-in-time.ts'
import { FOLDER, type HolderBinary, holderArgv, MISSING } from './binary.ts'
import { greet, type Greeted } from './greet.ts'
import { HeldProgram } from './held-program.ts'

/** A holder's exit codes (main.c): a word that it does not know, a session that it does not hold, a folder outside the home. */
const USAGE = 2
const NONE = 3
const FOLDER_REFUSED = 6
/** What engines say of a program that is not there, and of one of another architecture, which some only say in words. */
const NOT_EXECUTABLE: readonly number[] = [126, 127]
const OTHER_ARCHITECTURE = /exec format error/i
const LIST_WITHIN_MS = 15_000
const EXPLAINED_WITHIN_MS = 2_000
/** More sessions than the processes of a container could hold. */
const LIST_BYTES = 65_536

/** What it needs besides. */
export interface HeldContext extends ExecContext {
  readonly binary: HolderBinary
  run(options: RunOptions): Promise<RunResult>
}

/** Fails with `unsupported` where the container cannot run a holder. */
export const startHeld = async (
  context: HeldContext,
  containerId: string,
  options: ProgramOptions,
): Promise<Program> => {
  const { socket, held } = await speak(context, containerId, wordsFor(options))
  if (held.kind !== options.io.kind) throw notTheKind(socket)
  const program = new HeldProgram({ context, socket, held, isStillHeld: () => isHeld(context, options.session) })
  if (options.io.kind === 'pipes' && options.io.input instanceof Uint8Array) {
    program.write(options.io.input)
    program.endInput()
  }
  return program
}

const wordsFor = ({ session, argv, env, cwd, keepSeconds, io }: ProgramOptions): Words => {
  if (io.kind === 'pipes') {
    const input = io.input === 'none' ? 'none' : 'open'
    const how = [FOLDER, session, String(keepSeconds), String(io.keptOutputBytes), io.whenFull, input, AGENT_HOME, cwd]
    return { args: ['pipe', ...how, ...argv], env, cwd: AGENT_HOME }
  }
  const { cols, rows, notice } = io
  return {
    args: ['serve', FOLDER, session, ...[keepSeconds, cols, rows].map(String), ...argv],
    env: notice === null ? env : { ...env, SLIPWAY_NOTICE: notice },
    cwd,
  }
}

/** What the container holds by that name is not what it was. */
const notTheKind = (socket: Duplex): RuntimeError => {
  socket.destroy()
  return new RuntimeError('start_failed', 'the holder holds something else')
}

/** The kept output follows from those offsets on. Null where it is not held. */
export const attachHeld = async (
  context: HeldContext,
  containerId: string,
  session: string,
  { kind, from: asked }: Parameters<ContainerRuntime['attach']>[2],
): Promise<AttachedProgram | null> => {
  try {
    const offsets = kind === 'terminal' ? [asked.stdout] : [asked.stdout, asked.stderr]
    const args = ['attach', FOLDER, session, ...offsets.map(String)]
    const { socket, held } = await speak(context, containerId, { args, env: {}, cwd: '/' })
    if (held.kind !== kind) throw notTheKind(socket)
    const { hasEnded, cols, rows, from, to } = held
    const isStillHeld = (): Promise<boolean> => isHeld(context, session)
    return { program: new HeldProgram({ context, socket, held, isStillHeld }), hasEnded, cols, rows, from, to }
  } catch (error) {
    if (error instanceof NotThereError && error.exitCode === NONE) return null
    throw error
  }
}

/** The sessions that are held. Fails with `unsupported` where the container cannot run a holder. */
export const listHeld = (context: HeldContext): Promise<string[]> =>
  withProgram(context, async () => {
    const argv = holderArgv(context.binary.path, ['list', FOLDER])
    const { exitCode, stdout } = await context.run({ argv, timeoutMs: LIST_WITHIN_MS, maxOutputBytes: LIST_BYTES })
    if (exitCode !== 0) throw new NotThereError(exitCode)
    return stdout.toString('latin1').split('\n').filter(Boolean)
  })

/** Where it does not answer nobody knows, and it is asked for again. */
const isHeld = (context: HeldContext, session: string): Promise<boolean> =>
  listHeld(context).then(
    (held) => held.includes(session),
    () => true,
  )

/** The launcher ended without a greeting. */
class NotThereError extends RuntimeError {
  readonly exitCode: number

  constructor(exitCode: number) {
    super(exitCode === MISSING ? 'unsupported' : 'start_failed', `the holder ended with ${exitCode}`)
    this.exitCode = exitCode
  }
}

const isMissing = (error: unknown): boolean => error instanceof NotThereError && error.exitCode === MISSING

/** Where the container has no program that runs there, it is put first. */
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
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

type Spoken = Promise<{ socket: Duplex; held: Greeted }>

const speak = async (context: HeldContext, containerId: string, words: Words): Spoken => {
  const start = (): Spoken => startInTime((abortSignal) => startAndGreet(context, containerId, words, abortSignal))
  try {
    return await start()
  } catch (error) {
    if (!isMissing(error)) throw error
    return context.binary.noteMissing(containerId) ? await withProgram(context, start) : await put(context, start)
  }
}

const startAndGreet = async (
  context: HeldContext,
  containerId: string,
  { args, env, cwd }: Words,
  abortSignal: AbortSignal,
): Spoken => {
  const exec = await context.docker.getContainer(containerId).exec({
    Cmd: context.binary.argvFor(containerId, args),
    Env: environment(env),
    User: AGENT_USER,
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
    if (failure.code === 'start_failed') await explain(exec, died, failure.message, args[0] === 'pipe')
    throw failure
  } finally {
    context.exits.forget(exec.id)
  }
}

/** How the launcher ended says why there was no greeting. */
const explain = async (exec: Docker.Exec, died: Promise<number>, complaint: string, isPipe: boolean): Promise<void> => {
  // It has ended, or the engine does not answer, which is bounded like any other call.
  const late = new Promise<null>((resolve) => setTimeout(resolve, EXPLAINED_WITHIN_MS, null).unref())
  const exitCode = await Promise.race([endOfFailed(exec), died, late])
  if (exitCode === NONE) throw new NotThereError(NONE)
  if (isPipe && exitCode === FOLDER_REFUSED) throw new RuntimeError('bad_folder', 'not a folder inside the home')
  // A holder of an earlier release knows no pipes.
  const isOld = isPipe && exitCode === USAGE
  const isMissing = isOld || exitCode === MISSING || (exitCode !== null && NOT_EXECUTABLE.includes(exitCode))
  if (isMissing || OTHER_ARCHITECTURE.test(complaint)) throw new NotThereError(MISSING)
}

/** Of an exec that could not be started no end is told. */
const endOfFailed = (exec: Docker.Exec): Promise<number> =>
  new Promise((resolve) => {
    const told = ({ Running, ExitCode }: Docker.ExecInspectInfo): void => {
      if (!Running && ExitCode !== null) resolve(ExitCode)
    }
    void exec.inspect().then(told, () => undefined)
  })
