/** How the end of an exec is found out: from the event stream, from its socket, and from the engine when asked. */
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type Docker from 'dockerode'
import { toRuntimeError } from '../errors.ts'
import type { ExecExits } from './exec-exits.ts'

/** After the first process's end, how long output may still come from a job that holds its output open, in ms. */
const DRAIN_MS = 500
const DRAIN_TICK_MS = 50
/** How long the last output waits for a reader that has paused, in milliseconds; then it is given up. */
const DRAIN_PAUSED_MS = 30_000
/** Between two looks at whether a program has ended that has closed its outputs, in milliseconds. The event is mostly sooner. */
const LOOK_EVERY_MS = 500

export interface ExecParts {
  readonly exec: Docker.Exec
  readonly socket: Duplex
  readonly exits: ExecExits
  /** Registered before the start, or a short program's end is missed. */
  readonly died: Promise<number>
}

/** Settles after the last byte of output; null when the engine cannot tell the exit code any more. */
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
 * The last output is on its way. A job that holds the output open must not keep it from ending, so only so much time is
 * given to it; while the reader has paused, that time stands still.
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
 * The socket closed before the event came: either of them tells. Where the output came to its end the program may go on without it;
 * where it broke off, nobody knows what it prints.
 */
const inspectExitCode = async (exec: Docker.Exec, died: Promise<number>, isWhole: boolean): Promise<number | null> => {
  for (;;) {
    try {
      const { Running, ExitCode } = await exec.inspect()
      if (!Running && ExitCode !== null) return ExitCode
    } catch (error) {
      // One answer that is none says nothing of a program that goes on.
      if (!isWhole || toRuntimeError(error).code !== 'engine_error') return null
    }
    const told = await Promise.race([died, pause(LOOK_EVERY_MS, null, { ref: false })])
    if (told !== null || !isWhole) return told
  }
}
