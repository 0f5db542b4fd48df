/** Starts the relay of a container. */
import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { type Carrier, type CarrierDeps, openCarrier } from '../../runtime/carried/open.ts'
import { newRelayPace } from './pace.ts'
import { RelayStreams } from './streams.ts'

/** Its path in the project's images. It belongs to root. */
export const RELAY_PROGRAM = '/usr/local/lib/slipway/relay'
/** Where programs in the container find it: in the folder of the holder's sockets. */
export const RELAY_SOCKET = '/tmp/.slipway/relay.sock'

export type RelayDeps = CarrierDeps

/** A relay that listens. */
export type Relay = Carrier<RelayStreams>

/**
 * Resolves when the relay listens. `connected` gets each connection. Who is on the other side is known from the container
 * alone, so the caller decides it, whatever is said inside. `sessionId` marks its processes. Rejects with a `RuntimeError`, and if the program ends first or
 * does not listen in time.
 */
export const openRelay = (
  deps: RelayDeps,
  containerId: string,
  connected: (stream: Duplex) => void,
  sessionId: string = randomUUID(),
): Promise<Relay> =>
  openCarrier(deps, containerId, {
    argv: [RELAY_PROGRAM, RELAY_SOCKET],
    sessionId,
    carried: (pipes) => new RelayStreams({ ...pipes, connected }, newRelayPace()),
  })
