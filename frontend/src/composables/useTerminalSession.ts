import { useEventListener } from '@vueuse/core'
import { computed, onScopeDispose, ref, shallowRef } from 'vue'
import { accessToken } from '@/api/auth.ts'
import { ApiError, messageOf } from '@/api/errors.ts'
import { terminalUrl } from '@/api/sockets.ts'
import type { ConnectionStatus } from '@/stores/terminals.ts'
import { explainEnd, type Explanation } from '@/terminal/ends.ts'
import type { Size } from '@/terminal/frames.ts'
import { modeLabel, queryMode, type SelectedMode } from '@/terminal/modes.ts'
import { TerminalSession, type SessionState } from '@/terminal/session.ts'

export interface UseTerminalSessionOptions {
  agentKey: () => string
  runtime: () => string
  model: () => string
  /** Resolves when there is something to write to; null where the page has gone meanwhile. */
  prepare: () => Promise<Size | null>
  onOutput: (bytes: Uint8Array, consumed: () => void) => void
  onConnected: () => void
  /** `explanation` is null where the person asked for the end. */
  onEnded: (explanation: Explanation | null, wasConnected: boolean) => void
}

/** The session of one terminal: at most one at a time, another one after it. */
export function useTerminalSession(options: UseTerminalSessionOptions) {
  const selectedMode = ref<SelectedMode>('cli')
  const connectionStatus = ref<ConnectionStatus>('disconnected')
  const explanation = ref<Explanation | null>(null)
  const session = shallowRef<TerminalSession | null>(null)
  /** What runs, or ran, under this session; the switch may stand elsewhere by now. */
  let program = ''
  /** Grows with each attempt, so that an attempt that was given up finds out. */
  let attempt = 0

  const errorMessage = computed(() => explanation.value?.title ?? '')

  async function connect(): Promise<void> {
    if (connectionStatus.value !== 'disconnected') return
    const mine = (attempt += 1)
    connectionStatus.value = 'connecting'
    explanation.value = null
    program = modeLabel(selectedMode.value, options.runtime())
    try {
      const [size, token] = await Promise.all([options.prepare(), accessToken()])
      if (mine !== attempt || size === null) return
      const model = selectedMode.value === 'cli' ? options.model() : ''
      session.value = new TerminalSession({
        url: terminalUrl(options.agentKey(), queryMode(selectedMode.value, options.runtime()), model || null),
        token,
        size,
        onOutput: options.onOutput,
        onState: (state) => mine === attempt && follow(state),
      })
    } catch (error) {
      if (mine === attempt) fail(error)
    }
  }

  function follow(state: SessionState): void {
    if (state.phase === 'connected') {
      connectionStatus.value = 'connected'
      options.onConnected()
    } else if (state.phase === 'ended') {
      ended(explainEnd(state.end, program), state.end.wasConnected)
    }
  }

  function fail(error: unknown): void {
    const signedOut = error instanceof ApiError && error.statusCode === 401
    ended(
      {
        tone: 'error',
        title: signedOut ? 'Your sign-in has expired.' : messageOf(error),
        detail: null,
        wayOut: signedOut ? 'sign-in' : 'connect',
      },
      false,
    )
  }

  function ended(why: Explanation | null, wasConnected: boolean): void {
    connectionStatus.value = 'disconnected'
    session.value = null
    explanation.value = why
    options.onEnded(why, wasConnected)
  }

  /** Ends what runs, or gives up what is being started. */
  function disconnect(): void {
    if (session.value !== null) {
      session.value.disconnect()
    } else if (connectionStatus.value === 'connecting') {
      attempt += 1
      ended(null, false)
    }
  }

  function leave(): void {
    attempt += 1
    session.value?.leave()
    session.value = null
  }

  useEventListener(window, 'pagehide', leave)
  onScopeDispose(leave)

  return {
    selectedMode,
    connectionStatus,
    explanation,
    errorMessage,
    connect,
    disconnect,
    write: (bytes: Uint8Array): boolean => session.value?.write(bytes) ?? false,
    resize: (size: Size): void => session.value?.resize(size),
  }
}
