import { CloseCode, type PlatformEvent } from '@slipway/protocol'

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
  schedule?: (run: () => void, ms: number) => () => void
}

function afterMs(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

/**
 * Follows the platform's events until it is closed. It reconnects for as long as it is wanted: reading what changed
 * can surprise nobody.
 */
export function followEvents(options: EventStreamOptions): { close: () => void } {
  const open = options.openSocket ?? ((url: string) => new WebSocket(url))
  const schedule = options.schedule ?? afterMs
  let closed = false
  let failures = 0
  let refused = false
  let socket: WebSocket | null = null
  let cancelRetry: () => void = () => {}

  function retry(): void {
    if (closed) return
    options.onOnline(false)
    // The first time that the server ends it there is something to learn at once: another role, or that the sign-in is over.
    const delay = refused && failures === 0 ? 0 : (RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 0)
    failures += 1
    cancelRetry = schedule(() => void connect(), delay)
  }

  async function connect(): Promise<void> {
    let token: string
    try {
      token = await options.token(refused)
    } catch {
      retry()
      return
    }
    if (closed) return
    const current = open(options.url)
    socket = current
    current.onopen = () => current.send(JSON.stringify({ type: 'auth', token }))
    current.onmessage = (message) => {
      const event = parseEvent(message.data)
      if (event === null) return
      if (event.type === 'auth_success') {
        failures = 0
        options.onOnline(true)
      } else {
        options.onEvent(event)
      }
    }
    current.onclose = (event) => {
      refused = event.code === CloseCode.UNAUTHENTICATED
      retry()
    }
  }

  void connect()
  return {
    close() {
      closed = true
      cancelRetry()
      if (socket !== null) {
        socket.onclose = null
        socket.close(1000)
      }
    },
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
