import { CloseCode, type PlatformEvent } from '@slipway/protocol'
import { Hearing } from '@/lib/timing/hearing.ts'
import { afterMs, type Schedule } from '@/lib/timing/schedule.ts'

/** Delays between tries to reach the event stream, in milliseconds; the last one repeats. */
const RETRY_MS = [1_000, 2_000, 3_000, 5_000, 8_000] as const

export interface EventStreamOptions {
  url: string
  /** Rejects where no token can be had. `fresh` asks for another one than the last, which was refused. */
  token: (fresh: boolean) => Promise<string>
  onEvent: (event: PlatformEvent) => void
  /** `true` each time the stream is authenticated, `false` each time it is lost. */
  onOnline: (online: boolean) => void
  openSocket?: (url: string) => WebSocket
  schedule?: Schedule
  /** The wall clock, in milliseconds. */
  now?: () => number
}

/** What follows the platform's events. */
export interface EventStream {
  close: () => void
  /** The browser says that the network is gone. */
  networkLost: () => void
  /** The browser says that it is back. */
  networkBack: () => void
  /** Somebody looks: a server that is silent is asked anew, and one that was lost is not waited for. */
  retryNow: () => void
}

/**
 * Follows the platform's events until it is closed. It reconnects for as long as it is wanted: reading what changed
 * can surprise nobody.
 */
export function followEvents(options: EventStreamOptions): EventStream {
  const { openSocket = (url: string) => new WebSocket(url), schedule = afterMs, now = () => Date.now() } = options
  let closed = false
  let failures = 0
  let refused = false
  let socket: WebSocket | null = null
  let hearing: Hearing | null = null
  let cancelRetry: (() => void) | null = null

  /** Nothing of it counts any more. */
  function drop(): void {
    hearing?.stop()
    hearing = null
    if (socket === null) return
    socket.onopen = socket.onmessage = socket.onclose = null
    socket.close(1000)
    socket = null
  }

  function retry(): void {
    drop()
    if (closed) return
    options.onOnline(false)
    // The first time that the server ends it there is something to learn at once: another role, or that the sign-in is over.
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
    // After sleep, or where the network fell silent, no browser says that the socket is dead: the page would show what was, all day.
    hearing = new Hearing({ awaited: () => 0, onDoubt: () => undefined, onLost: retry, schedule, now })
    current.onopen = () => current.send(JSON.stringify({ type: 'auth', token }))
    current.onmessage = (message) => {
      hearing?.heard()
      const event = parseEvent(message.data)
      if (event === null) return
      if (event.type === 'auth_success') {
        failures = 0
        refused = false
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
    networkLost: () => hearing?.networkLost(),
    networkBack() {
      hearing?.networkBack()
      retryNow()
    },
    retryNow,
  }
}

/** Anything that is no event of ours is skipped: a newer server may say more than this page knows. */
function parseEvent(data: unknown): PlatformEvent | null {
  if (typeof data !== 'string') return null
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === 'object' && value !== null && 'type' in value ? (value as PlatformEvent) : null
  } catch {
    return null
  }
}
