/** A page that listens to `WS /api/events` over a real connection. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { PlatformEvent } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { WebSocket } from 'ws'
import type { TestApp } from './app.ts'

type Kind<T extends PlatformEvent['type']> = Extract<PlatformEvent, { type: T }>

export class Listener {
  readonly socket: WebSocket
  readonly events: PlatformEvent[] = []
  /** Resolves with the close code. */
  readonly closed: Promise<number>

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data: Buffer) => {
      const event = JSON.parse(data.toString('utf8')) as PlatformEvent
      // When an `alive` event comes depends on how long a test takes.
      if (event.type !== 'alive') this.events.push(event)
    })
    this.closed = once(socket, 'close').then(([code]) => code as number)
  }

  of<T extends PlatformEvent['type']>(type: T): Kind<T>[] {
    return this.events.filter((event): event is Kind<T> => event.type === type)
  }

  /** The states of one agent that the page was told, and `removed`. */
  about(name: string): string[] {
    return this.events.flatMap((event) => {
      if (event.type === 'agent' && event.agent.name === name) return [event.agent.state]
      return event.type === 'agent_removed' && event.name === name ? ['removed'] : []
    })
  }

  hears(what: string, isIt: () => boolean): Promise<true> {
    return until(what, isIt)
  }
}

/** The server's address. The server starts to listen if it does not yet. */
export async function addressOf({ app }: Pick<TestApp, 'app'>): Promise<string> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
  return `127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

/** Opens the socket, and sends `first` if it is given. */
export async function openSocket(team: Pick<TestApp, 'app'>, first?: string): Promise<Listener> {
  const socket = new WebSocket(`ws://${await addressOf(team)}/api/events`)
  const listener = new Listener(socket)
  await once(socket, 'open')
  if (first !== undefined) socket.send(first)
  return listener
}

/** Listens with the token of a user from now on. */
export async function listen(team: Pick<TestApp, 'app'>, token: string): Promise<Listener> {
  const listener = await openSocket(team, JSON.stringify({ type: 'auth', token }))
  await listener.hears('the welcome', () => listener.of('auth_success').length === 1)
  return listener
}
