/** A terminal session of the page whose clock and socket belong to the test. */
import type { PeopleFrame, RecordedParts } from '@slipway/protocol'
import type { Size } from '../session/frames.ts'
import { TerminalSession, type SessionState } from '../session/session.ts'
import { FakeClock, FakeSocket } from './fakes.ts'

/** The size of the page’s window, in cells. */
export const SIZE = { cols: 100, rows: 30 }

/** `held` is what a client that reconnects sends of its session. `hasControl` is false for a guest. */
export function setUp(held?: { session: string; offset: number }, hasControl = true) {
  const clock = new FakeClock()
  const states: SessionState[] = []
  const consumed: (() => void)[] = []
  const output: { bytes: number; isReplay: boolean }[] = []
  const resets: (Size | null)[] = []
  const sizes: (Size | null)[] = []
  const people: PeopleFrame[] = []
  const recordings: RecordedParts[] = []
  const cuts: string[] = []
  let made: FakeSocket | undefined
  const session = new TerminalSession({
    url: 'ws://here/terminal',
    size: SIZE,
    hello: (size) => ({ type: 'auth', token: 'secret', v: 2, ...size, ...held }),
    hasControl,
    onOutput: (bytes, done, isReplay) => {
      consumed.push(done)
      output.push({ bytes: bytes.length, isReplay })
    },
    onRestored: () => undefined,
    onReset: (size) => resets.push(size),
    onSize: (size) => sizes.push(size),
    onPeople: (frame) => people.push(frame),
    onRecorded: (parts) => recordings.push(parts),
    onInputCut: (why) => cuts.push(why),
    onInputWaiting: () => undefined,
    onDoubt: () => undefined,
    onState: (state) => states.push(state),
    openSocket: (url) => {
      made = new FakeSocket(url)
      return made as unknown as WebSocket
    },
    schedule: clock.schedule,
    now: clock.now,
  })
  const socket = made!
  const connect = (offset = 0) => {
    socket.open()
    socket.say({ type: 'auth_success', sessionId: 's1', offset })
  }
  return { clock, states, consumed, output, resets, sizes, people, recordings, cuts, session, socket, connect }
}
