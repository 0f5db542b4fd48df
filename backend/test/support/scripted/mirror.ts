/** A mirror for which the test plays the session and the thread. */
import { Semaphore } from '../../../src/lib/semaphore.ts'
import type { ToMirrors } from '../../../src/modules/terminal/screen/mirror/messages.ts'
import { Mirror } from '../../../src/modules/terminal/screen/mirror/mirror.ts'

/** A message to the thread. */
export type Sent = ToMirrors extends infer One ? (One extends unknown ? Omit<One, 'key'> : never) : never

export const size = { cols: 80, rows: 24 }
/** The mirror of a session whose output before `offset` has arrived. */
export const scriptedMirror = (offset: number, canJournal = false, replays = new Semaphore(1, Infinity)) => {
  const sent: Sent[] = []
  const missing: number[] = []
  const source = {
    id: 's',
    size,
    survives: true,
    start: 100,
    acknowledged: 0,
    offset,
    read: (from: number, limit: number) => new Uint8Array(Math.max(0, Math.min(limit, source.offset - from))),
    consumed: () => undefined,
  }
  const mirror = new Mirror(source, {
    canJournal,
    send: (message) => void sent.push(message),
    inTurn: (work) => replays.run(work),
    missing: (bytes) => void missing.push(bytes),
    closed: () => undefined,
  })
  const types = () => sent.map(({ type }) => type)
  const comes = (until: number): void => {
    source.offset = until
    mirror.output(new Uint8Array(1))
  }
  return { mirror, source, comes, types, sent, missing }
}
/** A screen that an earlier server stored. */
export const kept = { offset: 500, size, data: Buffer.from('screen'), sizes: [], past: null }
