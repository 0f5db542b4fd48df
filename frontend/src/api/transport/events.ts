import { CloseCode, type PlatformEvent } from '@slipway/protocol'
import { Hearing } from '@/lib/timing/hearing.ts'
import { afterMs, type Schedule } from '@/lib/timing/schedule.ts'

/** Delays between tries to connect to the event stream, in milliseconds. The last one repeats. */
const RETRY_MS = [1_000, 2_000, 3_000, 5_000, 8_000] as const

export interface EventStreamOptions {
  url: string
  /** Rejects if there is no token. `fresh` asks for another token than the last, which the server refused. */
  token: (fresh: boolean) => Promise<string>
  onEvent: (event: PlatformEvent) => void
  /** `true` each time the stream is authenticated, `false` each time it is lost. */
  onOnline: (online: boolean) => void
  openSocket?: (url: string) => WebSocket
  schedule?: Schedule
  /** The wall clock, in milliseconds. */
  now?: () => number
}

/** A connection to the platform's events. */
export interface EventStream {
  close: () => void
  /** Sends a message, for example `coding-agent:subscribe`. False: the stream is lost, so it was not sent. */
  send: (message: object) => boolean
  /** The browser reports that the network is gone. */
  networkLost: () => void
  /** The browser reports that the network is back. */
  networkBack: () => void
  /** The user looks at the page: checks a silent server, and reconnects at once if the connection is lost. */
  retryNow: () => void
}

/**
 * Follows the platform's events until it is closed. It reconnects without limit, because reading events has no side
 * effects.
 */
export function followEvents(options: EventStreamOptions): EventStream {
  const { openSocket = (url: string) => new WebSocket(url), schedule = afterMs, now = () => Date.now() } = options
  let closed = false
  /** Whether the server has let this page in. Anything sent earlier would come before the token. */
  let admitted = false
  let failures = 0
  let refused = false
  let socket: WebSocket | null = null
  let hearing: Hearing | null = null
  let cancelRetry: (() => void) | null = null

  /** Closes the socket and ignores its further messages. */
  function drop(): void {
    hearing?.stop()
    hearing = null
    admitted = false
    if (socket === null) return
    socket.onopen = socket.onmessage = socket.onclose = null
    socket.close(1000)
    socket = null
  }

  function retry(): void {
    drop()
    if (closed) return
    options.onOnline(false)
    // If the server closes the socket for the first time, reconnect at once: the role may have changed, or the sign-in
    // ended.
    const delay = refused && failures === 0 ? 0 : (RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 0)
    failures += 1
    cancelRetry = schedule(() => void connect(), delay)
  }

  async function connect(): Promise<void> {
    cancelRetry = null
    let token: string
    try {
      token = await options.token(refused)
    } catch {
      retry()
      return
    }
    if (closed) return
    const current = openSocket(options.url)
    socket = current
    // After sleep or in a dead network, no browser reports that the socket is dead. The page would show old states all
    // day.
    hearing = new Hearing({ awaited: () => 0, onDoubt: () => undefined, onLost: retry, schedule, now })
    current.onopen = () => current.send(JSON.stringify({ type: 'auth', token }))
    current.onmessage = (message) => {
      hearing?.heard()
      const event = parseEvent(message.data)
      if (event === null) return
      if (event.type === 'auth_success') {
        failures = 0
        refused = false
        admitted = true
        options.onOnline(true)
      } else if (event.type !== 'alive') {
        options.onEvent(event)
      }
    }
    current.onclose = (event) => {
      refused = event.code === CloseCode.UNAUTHENTICATED
      retry()
    }
  }

  function retryNow(): void {
    hearing?.check()
    if (cancelRetry === null) return
    cancelRetry()
    failures = 0
    void connect()
  }

  void connect()
  return {
    close() {
      closed = true
      cancelRetry?.()
      drop()
    },
    send(message) {
      if (!admitted || socket?.readyState !== WebSocket.OPEN) return false
      socket.send(JSON.stringify(message))
      return true
    },
    networkLost: () => hearing?.networkLost(),
    networkBack() {
      hearing?.networkBack()
      retryNow()
    },
    retryNow,
  }
}

/** Skips messages that are no events. A newer server may send kinds that this page does not know. */
function parseEvent(data: unknown): PlatformEvent | null {
  if (typeof data !== 'string') return null
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === 'object' && value !== null && 'type' in value ? (value as PlatformEvent) : null
  } catch {
    return null
  }
}
