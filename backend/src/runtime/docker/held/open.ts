/** Opens a terminal that a holder keeps, and finds again what is kept. */
import type { Duplex } from 'node:stream'
import type Docker from 'dockerode'
import { RuntimeError } from '../../errors.ts'
import type { AttachedPty, Pty, PtyOptions, RunOptions, RunResult } from '../../port.ts'
import { toRuntimeError } from '../errors.ts'
import { AGENT_USER } from '../profile.ts'
import { environment, type ExecContext } from '../pty.ts'
import { startInTime } from '../start-in-time.ts'
import { FOLDER, type HolderBinary, holderArgv, MISSING } from './binary.ts'
import { greet, type Greeted } from './greet.ts'
import { HeldPty } from './held-pty.ts'

/** A holder's exit code when it does not hold the session. */
const NONE = 3
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
export const openHeldPty = async (context: HeldContext, containerId: string, options: PtyOptions): Promise<Pty> => {
  const { cols, rows, session, argv, notice, keepSeconds, env, cwd } = options
  const { socket, held } = await speak(context, containerId, {
    args: ['serve', FOLDER, session, ...[keepSeconds, cols, rows].map(String), ...argv],
    env: notice === null ? env : { ...env, SLIPWAY_NOTICE: notice },
    cwd,
  })
  return new HeldPty({ context, socket, held, isStillHeld: () => isHeld(context, session) })
}

/** All that is kept of its output follows. Null where it is not held. */
export const attachHeldPty = async (
  context: HeldContext,
  containerId: string,
  session: string,
): Promise<AttachedPty | null> => {
  try {
    const { socket, held } = await speak(context, containerId, {
      args: ['attach', FOLDER, session, '0'],
      env: {},
      cwd: '/',
    })
    const { cols, rows, from, to } = held
    const isStillHeld = (): Promise<boolean> => isHeld(context, session)
    return { pty: new HeldPty({ context, socket, held, isStillHeld }), cols, rows, from, to }
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
    if (failure.code === 'start_failed') await explain(exec, died, failure.message)
    throw failure
  } finally {
    context.exits.forget(exec.id)
  }
}

/** How the launcher ended says why there was no greeting. */
const explain = async (exec: Docker.Exec, died: Promise<number>, complaint: string): Promise<void> => {
  // It has ended, or the engine does not answer, which is bounded like any other call.
  const late = new Promise<null>((resolve) => setTimeout(resolve, EXPLAINED_WITHIN_MS, null).unref())
  const exitCode = await Promise.race([endOfFailed(exec), died, late])
  if (exitCode === NONE) throw new NotThereError(NONE)
  const isMissing = exitCode === MISSING || (exitCode !== null && NOT_EXECUTABLE.includes(exitCode))
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
