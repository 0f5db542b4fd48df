/** Follows tasks over sockets of pages, one for each, and measures the way of their lines. */
import type { PlatformEvent } from '@slipway/protocol'
import WebSocket from 'ws'
import { pause } from './channel.ts'
import { leave, listen } from './listen.ts'

export interface FollowTarget {
  /** That of the server's events. */
  readonly url: string
  readonly token: string
  readonly sessionId: string
}

/** Time between two looks at what has come, in milliseconds. */
const LOOK_EVERY_MS = 5

interface Followed {
  readonly socket: WebSocket
  /** The number of the last event. */
  seq: number
  /** From the print of each line to its arrival, in milliseconds. */
  readonly delays: number[]
  /** When the last line was printed, in milliseconds since the epoch. */
  printedAt: number
  isOver: boolean
}

const followed = new Map<string, Followed>()

/** Containers have the kernel's clock, as this process does. */
const now = (): number => performance.timeOrigin + performance.now()

const take = (one: Followed, event: PlatformEvent): void => {
  if (event.type === 'coding-agent:session:exit') one.isOver = true
  if (event.type !== 'coding-agent:session:event') return
  const arrivedAt = now()
  const { event: happened } = event
  if (happened.seq !== one.seq + 1) throw new Error(`event ${happened.seq} came after ${one.seq}`)
  one.seq = happened.seq
  if (happened.type === 'result') one.isOver = true
  if (happened.type !== 'text') return
  one.printedAt = Number.parseFloat(happened.text)
  one.delays.push(arrivedAt - one.printedAt)
}

/** Subscribes to each task from its first event on, or from the last event that came before. */
export const follow = async (targets: readonly FollowTarget[]): Promise<void> => {
  for (const { url, token, sessionId } of targets) {
    const before = followed.get(sessionId)
    const socket = await listen({ url, token })
    const one: Followed = { socket, seq: before?.seq ?? 0, delays: [], printedAt: 0, isOver: false }
    followed.set(sessionId, one)
    socket.on('message', (data: Buffer) => {
      const event = JSON.parse(data.toString()) as PlatformEvent
      if ('sessionId' in event && event.sessionId === sessionId) take(one, event)
    })
    socket.send(JSON.stringify({ type: 'coding-agent:subscribe', sessionId, after: one.seq }))
  }
}

const all = async (is: (one: Followed) => boolean): Promise<void> => {
  while (![...followed.values()].every(is)) await pause(LOOK_EVERY_MS)
}

/** Resolves when all tasks have ended, with the delays of their lines, and follows them no more. */
export const delaysOfFollowed = async (): Promise<number[]> => {
  await all(({ isOver }) => isOver)
  const delays = [...followed.values()].flatMap((one) => one.delays)
  await unfollow()
  followed.clear()
  return delays
}

/** Resolves with the time, once each task has told a line that was printed after `since`. Both in milliseconds since the epoch. */
export const followedSince = async (since: number): Promise<number> => {
  await all(({ printedAt, isOver }) => {
    if (isOver) throw new Error('a task ended while it was followed')
    return printedAt > since
  })
  return now()
}

/** Closes the sockets. The next {@link follow} of a task goes on after its last event. */
export const unfollow = async (): Promise<void> => {
  const sockets = [...followed.values()].map(({ socket }) => socket)
  await Promise.all(sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).map(leave))
}
