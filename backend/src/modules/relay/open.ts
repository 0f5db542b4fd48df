/** Starts the relay of a container. */
import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { AGENT_HOME } from '@slipway/protocol'
import { SECOND_MS } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import { LOG_BYTES_MIN, type Program } from '../../runtime/program.ts'
import type { Attended } from '../sessions/claim.ts'
import { Pace } from './pace.ts'
import { RelayStreams } from './streams.ts'

/** Its path in the project's images. It belongs to root. */
export const RELAY_PROGRAM = '/usr/local/lib/slipway/relay'
/** Where programs in the container find it: in the folder of the holder's sockets. */
export const RELAY_SOCKET = '/tmp/.slipway/relay.sock'
/** Longest time until it listens, in milliseconds. It does nothing else before. */
const READY_MS = 20 * SECOND_MS

export interface RelayDeps {
  readonly runtime: Pick<ContainerRuntime, 'start'>
  readonly log: Log
}

/** A relay that listens. */
export interface Relay extends Attended {
  readonly streams: Pick<RelayStreams, 'size'>
  /** Resolves when its program has ended, by itself or with its container. All connections are closed then. */
  readonly over: Promise<void>
  /** Ends it. */
  end(): Promise<void>
}

/**
 * Resolves when the relay listens. `connected` gets each connection. Who is on the other side is known from the container
 * alone, so the caller decides it, whatever is said inside. `sessionId` marks its processes. Rejects with a `RuntimeError`, and if the program ends first or
 * does not listen in time.
 */
export const openRelay = async (
  { runtime, log }: RelayDeps,
  containerId: string,
  connected: (stream: Duplex) => void,
  sessionId: string = randomUUID(),
): Promise<Relay> => {
  const program: Program = await runtime.start(containerId, {
    session: sessionId,
    argv: [RELAY_PROGRAM, RELAY_SOCKET],
    env: {},
    folder: AGENT_HOME,
    io: { kind: 'pipes', stdin: 'open' },
    // It ends with this backend. The next one starts another.
    keepSeconds: 0,
    logBytes: LOG_BYTES_MIN,
    whenFull: 'block',
  })
  const { promise: isReady, resolve: ready } = Promise.withResolvers<null>()
  const streams = new RelayStreams({ send: (bytes) => program.write(bytes), connected, ready: () => ready(null) })
  const pace = new Pace()
  let resting: NodeJS.Timeout | undefined
  let isBroken = false
  const take = (chunk: Uint8Array): void => {
    const restMs = pace.spend(streams.push(chunk))
    if (restMs <= 0) return
    program.pause()
    clearTimeout(resting)
    resting = setTimeout(() => program.resume(), restMs)
  }
  program.onDrain(() => streams.drained())
  program.onOutput((chunk, from, offset) => {
    program.acknowledge(from, offset + chunk.length)
    if (from !== 'stdout' || isBroken) return
    try {
      take(chunk)
    } catch (error) {
      isBroken = true
      log.warn({ err: error }, 'a relay sent what no relay sends, and is ended')
      void program.hangUp().catch(() => undefined)
    }
  })
  const over = program.exit.then(() => {
    clearTimeout(resting)
    streams.end()
  })
  const { promise: isLate, reject: late } = Promise.withResolvers<never>()
  const timer = setTimeout(() => late(new Error('the relay does not listen')), READY_MS)
  const ended = over.then(() => Promise.reject(new Error('the relay ended before it listened')))
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
  return { sessionId, leader: program.leader, streams, over, end: () => program.hangUp() }
}
