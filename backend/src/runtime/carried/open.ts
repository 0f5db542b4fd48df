/** Starts a program in a container that carries connections over its pipes. */
import { AGENT_HOME } from '@slipway/protocol'
import { SECOND_MS } from '../../lib/time/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { ContainerRuntime } from '../port.ts'
import { LOG_BYTES_MIN, type Program } from '../program.ts'

/** Longest time until it is ready, in milliseconds. It does nothing else before. */
const READY_MS = 20 * SECOND_MS

/** What {@link openCarrier} needs. */
export interface CarrierDeps {
  readonly runtime: Pick<ContainerRuntime, 'start'>
  readonly log: Log
}

/** The connections of one program. */
export interface Carried {
  /** Output of the program. Answers for how long it must not be read then, in milliseconds. Throws for what is no frame. */
  push(chunk: Uint8Array): number
  /** The program takes more input. */
  drained(): void
  /** The program is gone. */
  end(): void
}

/** Which program, and what it carries. */
export interface CarrierSpec<C extends Carried> {
  readonly argv: readonly string[]
  /** Marks its processes. */
  readonly sessionId: string
  /** `send` answers false if the program takes no more. `ready` is told once it has said that it is ready. */
  readonly carried: (pipes: { send(bytes: Uint8Array): boolean; ready(): void }) => C
}

/** A program that is ready. */
export interface Carrier<C extends Carried> {
  readonly sessionId: string
  /** Its first process, as the runtime names it. */
  readonly leader: string | null
  readonly carried: C
  /** Resolves when it has ended, by itself or with its container. All connections are closed then. */
  readonly over: Promise<void>
  /** Ends it. */
  end(): Promise<void>
}

/**
 * Resolves when the program is ready. It ends with this backend; the next one starts another. Rejects with a
 * `RuntimeError`, and if the program ends first or is not ready in time.
 */
export const openCarrier = async <C extends Carried>(
  { runtime, log }: CarrierDeps,
  containerId: string,
  spec: CarrierSpec<C>,
): Promise<Carrier<C>> => {
  const [path] = spec.argv
  const program: Program = await runtime.start(containerId, {
    session: spec.sessionId,
    argv: spec.argv,
    env: {},
    folder: AGENT_HOME,
    io: { kind: 'pipes', stdin: 'open' },
    keepSeconds: 0,
    logBytes: LOG_BYTES_MIN,
    whenFull: 'block',
  })
  const { promise: isReady, resolve: ready } = Promise.withResolvers<null>()
  const carried = spec.carried({ send: (bytes) => program.write(bytes), ready: () => ready(null) })
  let resting: NodeJS.Timeout | undefined
  let isBroken = false
  const take = (chunk: Uint8Array): void => {
    const restMs = carried.push(chunk)
    if (restMs <= 0) return
    program.pause()
    clearTimeout(resting)
    resting = setTimeout(() => program.resume(), restMs)
  }
  program.onDrain(() => carried.drained())
  program.onOutput((chunk, from, offset) => {
    program.acknowledge(from, offset + chunk.length)
    if (from !== 'stdout' || isBroken) return
    try {
      take(chunk)
    } catch (error) {
      isBroken = true
      log.warn({ err: error, path }, 'a program sent what no carrier of connections sends, and is ended')
      void program.hangUp().catch(() => undefined)
    }
  })
  const over = program.exit.then(() => {
    clearTimeout(resting)
    carried.end()
  })
  const { promise: isLate, reject: late } = Promise.withResolvers<never>()
  const timer = setTimeout(() => late(new Error(`${path} is not ready`)), READY_MS)
  const ended = over.then(() => Promise.reject(new Error(`${path} ended before it was ready`)))
  try {
    await Promise.race([isReady, isLate, ended])
  } catch (error) {
    await program.hangUp().catch(() => undefined)
    throw error
  } finally {
    clearTimeout(timer)
    // Only the first of the three counts.
    ended.catch(() => undefined)
  }
  return { sessionId: spec.sessionId, leader: program.leader, carried, over, end: () => program.hangUp() }
}
