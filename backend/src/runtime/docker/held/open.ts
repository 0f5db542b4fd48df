/** Opens a terminal that a holder keeps. */
import type { Duplex } from 'node:stream'
import { RuntimeError } from '../../errors.ts'
import type { Pty, PtyOptions, RunOptions, RunResult } from '../../port.ts'
import { toRuntimeError } from '../errors.ts'
import { AGENT_USER } from '../profile.ts'
import { environment, type ExecContext } from '../pty.ts'
import { startInTime } from '../start-in-time.ts'
import { FOLDER, type HolderBinary, holderArgv, MISSING } from './binary.ts'
import { greet } from './greet.ts'
import { HeldPty } from './held-pty.ts'

/** For how long a holder waits for a backend that went away, in seconds. */
const WAIT_SECONDS = 0
/** What it needs besides. */
export interface HeldContext extends ExecContext {
  readonly binary: HolderBinary
  run(options: RunOptions): Promise<RunResult>
}

/** Fails with `unsupported` where the container cannot run a holder. */
export const openHeldPty = async (context: HeldContext, containerId: string, options: PtyOptions): Promise<Pty> => {
  const serveInTime = (): Promise<Pty> =>
    startInTime((abortSignal) => serve(context, containerId, options, abortSignal))
  try {
    return await serveInTime()
  } catch (error) {
    if (!(error instanceof NoHolderError)) throw error
  }
  await context.binary.put((run) => context.run(run))
  try {
    return await serveInTime()
  } catch (error) {
    throw error instanceof NoHolderError ? new RuntimeError('unsupported', error.message) : error
  }
}

/** The container does not have a program that runs there. */
class NoHolderError extends Error {}

const serve = async (
  context: HeldContext,
  containerId: string,
  options: PtyOptions,
  abortSignal: AbortSignal,
): Promise<Pty> => {
  const { cols, rows, session, argv } = options
  const exec = await context.docker.getContainer(containerId).exec({
    Cmd: holderArgv(context.binary.path, [
      'serve',
      FOLDER,
      session,
      ...[WAIT_SECONDS, cols, rows].map(String),
      ...argv,
    ]),
    Env: environment(options.env),
    User: AGENT_USER,
    WorkingDir: options.cwd,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    abortSignal,
  })
  const died = new Promise<number>((resolve) => context.exits.once(exec.id, resolve))
  try {
    const socket: Duplex = await exec.start({ hijack: true, stdin: true, abortSignal })
    return new HeldPty({ context, socket, held: await greet(socket) })
  } catch (error) {
    const failure = toRuntimeError(error)
    if (failure.code === 'start_failed') await explain(died)
    throw failure
  } finally {
    context.exits.forget(exec.id)
  }
}

/** How the launcher ended says why there was no greeting. */
const explain = async (died: Promise<number>): Promise<void> => {
  // It has ended, or the engine does not answer, which is bounded like any other call.
  const exitCode = await Promise.race([died, new Promise<null>((resolve) => setTimeout(resolve, 2000, null).unref())])
  if (exitCode === MISSING) throw new NoHolderError('no holder in the container')
}
