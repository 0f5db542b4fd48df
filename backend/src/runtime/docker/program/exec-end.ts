/** Finds out how an exec ended: from the event stream, from its socket, or by asking the engine. */
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type Docker from 'dockerode'
import { toRuntimeError } from '../errors.ts'
import type { ExecExits } from './exec-exits.ts'

/**
 * How long output may still come after the first process has ended, in milliseconds. A background job may hold the
 * output open.
 */
const DRAIN_MS = 500
const DRAIN_TICK_MS = 50
/** How long the last output waits for a paused reader, in milliseconds. Then it is dropped. */
const DRAIN_PAUSED_MS = 30_000
/**
 * Time between two checks whether a program that has closed its outputs has ended, in milliseconds. The event is mostly
 * sooner.
 */
const LOOK_EVERY_MS = 500

export interface ExecParts {
  readonly exec: Docker.Exec
  readonly socket: Duplex
  readonly exits: ExecExits
  /** Must be registered before the start, or the end of a short program is missed. */
  readonly died: Promise<number>
}

/** Resolves after the last byte of output. Null: the engine does not know the exit code any more. */
export const endOfExec = async ({ exec, socket, exits, died }: ExecParts): Promise<number | null> => {
  const closed = new Promise<null>((resolve) => socket.once('close', () => resolve(null)))
  let isWhole = false
  socket.once('end', () => {
    isWhole = true
    socket.destroy()
  })
  try {
    const told = await Promise.race([died, closed])
    if (told !== null) await drain(socket, closed)
    return told ?? (await inspectExitCode(exec, died, isWhole))
  } finally {
    exits.forget(exec.id)
  }
}

/**
 * Waits for the last output, for a limited time, because a background job may hold the output open. While the reader is
 * paused, another limit applies.
 */
const drain = async (socket: Duplex, closed: Promise<unknown>): Promise<void> => {
  let left = DRAIN_MS
  let leftPaused = DRAIN_PAUSED_MS
  const timer = setInterval(() => {
    if (socket.isPaused()) leftPaused -= DRAIN_TICK_MS
    else left -= DRAIN_TICK_MS
    if (left <= 0 || leftPaused <= 0) socket.destroy()
  }, DRAIN_TICK_MS)
  if (!socket.destroyed) await closed
  clearInterval(timer)
}

/**
 * The socket closed before the event came, so this waits for the event and asks the engine. If the output is complete,
 * the program may still run. If it broke off, its state is unknown.
 */
const inspectExitCode = async (exec: Docker.Exec, died: Promise<number>, isWhole: boolean): Promise<number | null> => {
  for (;;) {
    try {
      const { Running, ExitCode } = await exec.inspect()
      if (!Running && ExitCode !== null) return ExitCode
    } catch (error) {
      // A single failed request says nothing about a program that may still run.
      if (!isWhole || toRuntimeError(error).code !== 'engine_error') return null
    }
    const told = await Promise.race([died, pause(LOOK_EVERY_MS, null, { ref: false })])
    if (told !== null || !isWhole) return told
  }
}
