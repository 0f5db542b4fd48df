import { useEventListener } from '@vueuse/core'
import { computed, onScopeDispose, ref, shallowRef } from 'vue'
import { accessToken } from '@/api/auth.ts'
import { ApiError, messageOf } from '@/api/errors.ts'
import { terminalUrl } from '@/api/sockets.ts'
import { randomId } from '@/lib/randomId.ts'
import type { ConnectionStatus } from '@/stores/terminals.ts'
import { explainEnd, type Explanation } from '@/terminal/ends.ts'
import type { Size } from '@/terminal/frames.ts'
import { TerminalLink, type LinkState } from '@/terminal/link.ts'
import { modeLabel, queryMode, selectedModeOf, type SelectedMode } from '@/terminal/modes.ts'
import type { SessionOptions } from '@/terminal/session.ts'

export interface UseTerminalSessionOptions extends Pick<SessionOptions, 'onOutput' | 'onReset' | 'onRestored'> {
  agentKey: () => string
  runtime: () => string
  model: () => string
  /** Resolves when there is something to write to; null where the page has gone meanwhile. */
  prepare: () => Promise<Size | null>
  /** `isReturn`: to a session that was there before. */
  onConnected: (isReturn: boolean) => void
  /** Part of what was typed or pasted did not arrive, since the connection was lost under it. */
  onInputCut: () => void
  /** `explanation` is null where the person asked for the end. */
  onEnded: (explanation: Explanation | null, wasConnected: boolean) => void
}

/** The session of one terminal: at most one at a time, another one after it. */
export function useTerminalSession(options: UseTerminalSessionOptions) {
  const selectedMode = ref<SelectedMode>('cli')
  const connectionStatus = ref<ConnectionStatus>('disconnected')
  const explanation = ref<Explanation | null>(null)
  const link = shallowRef<TerminalLink | null>(null)
  const client = randomId()
  /** What runs, or ran, under this session; the switch may stand elsewhere by now. */
  let program = ''
  /** Grows with each attempt, so that an attempt that was given up finds out. */
  let attempt = 0

  const errorMessage = computed(() => explanation.value?.title ?? '')

  /** `takeover`: from another tab or device that has it now. */
  async function connect(takeover = false): Promise<void> {
    if (connectionStatus.value !== 'disconnected') return
    const mine = (attempt += 1)
    connectionStatus.value = 'connecting'
    explanation.value = null
    program = modeLabel(selectedMode.value, options.runtime())
    try {
      const size = await options.prepare()
      if (mine !== attempt || size === null) return
      const model = selectedMode.value === 'cli' ? options.model() : ''
      link.value = new TerminalLink({
        url: terminalUrl(options.agentKey(), queryMode(selectedMode.value, options.runtime()), model || null),
        token: accessToken,
        size,
        takeover,
        client,
        onOutput: options.onOutput,
        onReset: options.onReset,
        onRestored: options.onRestored,
        onState: (state) => mine === attempt && follow(state),
      })
    } catch (error) {
      if (mine === attempt) fail(error)
    }
  }

  function follow(state: LinkState): void {
    switch (state.phase) {
      case 'connecting':
        return
      case 'connected': {
        if (state.mode !== null) selectedMode.value = selectedModeOf(state.mode, options.runtime())
        program = modeLabel(selectedMode.value, options.runtime())
        const isReturn = connectionStatus.value === 'reconnecting'
        connectionStatus.value = 'connected'
        return options.onConnected(isReturn)
      }
      case 'reconnecting':
        if (state.isInputCut) options.onInputCut()
        connectionStatus.value = 'reconnecting'
        return
      case 'failed':
        return fail(state.error)
      case 'ended':
        return ended(explainEnd(state.end, program), state.end.wasConnected)
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
    link.value = null
    explanation.value = why
    options.onEnded(why, wasConnected)
  }

  /** Ends what runs, or gives up what is being started. */
  function disconnect(): void {
    if (link.value !== null) {
      link.value.disconnect()
    } else if (connectionStatus.value === 'connecting') {
      attempt += 1
      ended(null, false)
    }
  }

  function leave(): void {
    attempt += 1
    link.value?.leave()
    link.value = null
  }

  const retryNow = (): void => link.value?.retryNow()

  useEventListener(window, 'pagehide', leave)
  // A page that comes out of the browser's cache as it was left has lost its socket on the way.
  useEventListener(window, 'pageshow', (event) => {
    if (!event.persisted || connectionStatus.value === 'disconnected') return
    connectionStatus.value = 'disconnected'
    void connect()
  })
  useEventListener(window, 'online', retryNow)
  useEventListener(document, 'visibilitychange', () => document.visibilityState === 'visible' && retryNow())
  onScopeDispose(leave)

  return {
    selectedMode,
    connectionStatus,
    explanation,
    errorMessage,
    connect,
    disconnect,
    retryNow,
    write: (bytes: Uint8Array): boolean => link.value?.write(bytes) ?? false,
    resize: (size: Size): void => link.value?.resize(size),
  }
}
