import { EventEmitter } from 'node:events'
import { type AuthFrame, CloseCode } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import type { WebSocket } from 'ws'
import { scriptedSession } from '../../../test/support/scripted/session.ts'
import { silentLog } from '../../lib/log.ts'
import { Connection } from './connection.ts'
import { disconnected } from '../sessions/ending.ts'
import { parseAuth } from './frames.ts'
import type { Opened } from './gate.ts'

/** More frames than may come before `auth_success`. */
const TOO_MANY = 257

/** A socket whose client is played by the test. */
class Socket extends EventEmitter {
  bufferedAmount = 0
  readonly closes: number[] = []
  pause = (): void => undefined
  resume = (): void => undefined
  send = (): void => undefined
  close = (code: number): void => void this.closes.push(code)
  say = (text: string): boolean => this.emit('message', Buffer.from(text), false)
}

/** A client that connects as the session's user. The test decides when the entrance answers. */
const setup = (resumed: boolean) => {
  const { session } = scriptedSession()
  if (resumed) session.waitForSomebody()
  const socket = new Socket()
  const opening = Promise.withResolvers<Opened>()
  const entrance = { read: (text: string): AuthFrame => parseAuth(text), open: () => opening.promise }
  new Connection({ socket: socket as unknown as WebSocket, entrance, query: {}, log: silentLog })
  socket.say(JSON.stringify({ type: 'auth', token: 'whatever', v: 2 }))
  const letIn = async (): Promise<void> => {
    const left = Promise.withResolvers<undefined>()
    const person = { name: 'ann', isHolder: true, mayControl: true, handsOver: () => Promise.resolve() }
    opening.resolve({ session, resumed, person, take: () => undefined, left: () => left.resolve(undefined) })
    await left.promise
  }
  return { session, socket, letIn }
}

describe.each([
  ['begins', false],
  ['comes back', true],
])('the connection of a user who %s and is gone before the answer', (_how, resumed) => {
  it('keeps the session where it refused what came too early', async () => {
    const { session, socket, letIn } = setup(resumed)
    for (let frame = 0; frame < TOO_MANY; frame += 1) socket.say('x')
    await letIn()
    expect([socket.closes, session.ending, session.waits]).toEqual([[CloseCode.BAD_REQUEST], null, true])
  })

  it('keeps the session where the network was lost, and ends it where they disconnected', async () => {
    const [lost, closed] = [setup(resumed), setup(resumed)]
    lost.socket.emit('close', 1006)
    closed.socket.emit('close', 1005)
    await Promise.all([lost.letIn(), closed.letIn()])
    expect([lost.session.ending, closed.session.ending]).toEqual([null, disconnected])
  })
})
