/** How fast a relay may send. A container that sends faster is slowed down by its own pipe, and nothing is lost. */
import { Pace } from '../../runtime/carried/pace.ts'

/** Frames in a second, on average. With full frames that is 32 MiB. */
const FRAMES_PER_SECOND = 2000
/** What a new connection counts, in frames: the backend makes an HTTP parser for it. That allows 20 in a second. */
export const OPEN_COST = 100
/** What may come at once, in frames: every connection that a relay may have, twice. */
const BURST = 64 * OPEN_COST

/** The pace of one relay, in frames. `now` tells milliseconds that only grow. */
export const newRelayPace = (now?: () => number): Pace => new Pace({ perSecond: FRAMES_PER_SECOND, burst: BURST }, now)
