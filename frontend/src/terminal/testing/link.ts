/** A link of the page to its terminal whose clock and sockets belong to the test. */
import { introduceOwner } from '../session/hello.ts'
import { RETRY_MS, TerminalLink, type LinkState } from '../session/link.ts'
import { FakeClock, FakeSocket } from './fakes.ts'
import { SIZE } from './session.ts'

/** A link that connects when the test says so. */
export function setUp() {
  const clock = new FakeClock()
  const states: LinkState[] = []
  const sockets: FakeSocket[] = []
  const asked: boolean[] = []
  const doubts: boolean[] = []
  const server: { refuses: Error | null } = { refuses: null }
  const link = new TerminalLink({
    url: 'ws://here/terminal',
    introduce: introduceOwner({
      token: (fresh) => {
        asked.push(fresh)
        return server.refuses === null ? Promise.resolve(`token ${asked.length}`) : Promise.reject(server.refuses)
      },
      client: 'tab',
      takeover: true,
    }),
    size: SIZE,
    isGuest: false,
    onSize: () => undefined,
    onPeople: () => undefined,
    onRecorded: () => undefined,
    onInputCut: () => undefined,
    onInputWaiting: () => undefined,
    onDoubt: (isInDoubt) => doubts.push(isInDoubt),
    onOutput: (_bytes, done) => done(),
    onRestored: () => undefined,
    onReset: () => undefined,
    onState: (state) => states.push(state),
    openSocket: (url) => {
      const socket = new FakeSocket(url)
      sockets.push(socket)
      return socket as unknown as WebSocket
    },
    schedule: clock.schedule,
    now: clock.now,
    random: () => 0,
  })
  /** Lets promises settle. */
  const settle = () => new Promise<void>((resolve) => setTimeout(resolve))
  const connect = async () => {
    await settle()
    sockets.at(-1)!.open()
    sockets.at(-1)!.say({ type: 'auth_success', sessionId: 's1', offset: 0 })
  }
  return { clock, states, sockets, asked, doubts, server, link, settle, connect }
}

/** A user whose first socket was lost. The second is open and has received nothing yet. */
export const comingBack = async () => {
  const parts = setUp()
  await parts.connect()
  parts.sockets[0]!.end(1006)
  parts.clock.advance(RETRY_MS[0]!)
  await parts.settle()
  parts.sockets[1]!.open()
  return parts
}
