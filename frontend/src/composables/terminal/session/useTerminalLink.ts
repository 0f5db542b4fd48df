import type { RecordedParts } from '@slipway/protocol'
import { useEventListener } from '@vueuse/core'
import { computed, onScopeDispose, ref, shallowRef } from 'vue'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import { countAsUnsent } from '@/lib/browser/unsent.ts'
import type { ConnectionStatus } from '@/stores/agents/terminals.ts'
import type { Explanation } from '@/terminal/session/ends.ts'
import type { Size } from '@/terminal/session/frames.ts'
import { TerminalLink, type LinkOptions, type LinkState } from '@/terminal/session/link.ts'
import type { Connected, SessionEnd } from '@/terminal/session/session.ts'
import type { Feed } from './useFeed.ts'

/** A session's events for its terminal's page. */
export interface SessionListeners extends Feed, Pick<LinkOptions, 'onPeople'> {
  /** Resolves with the size once the emulator is ready. Null if the page has closed by then. */
  prepare: () => Promise<Size | null>
  /** `isReturn` is true after a reconnect. */
  onConnected: (isReturn: boolean) => void
  onReconnecting: () => void
  /** Part of the input was not sent, because the connection was lost or control passed to another participant. */
  onInputCut: (why?: 'control') => void
  /** `explanation` is null if the user asked for the end. */
  onEnded: (explanation: Explanation | null, wasConnected: boolean) => void
}

export interface UseTerminalLinkOptions extends SessionListeners {
  /** Where to connect, looked up at each attempt. */
  to: (takeover: boolean) => Pick<LinkOptions, 'url' | 'introduce' | 'isGuest'>
  /** Reads the server's description of the session, before the page's own listener is called. */
  learn: (connected: Connected) => void
  /** `runsOn` is true if the user disconnected while the server was out of reach: the program runs on. */
  explain: (end: SessionEnd, runsOn: boolean) => Explanation | null
}

/** A terminal's session: at most one at a time. Another one can follow. */
export function useTerminalLink(options: UseTerminalLinkOptions) {
  const connectionStatus = ref<ConnectionStatus>('disconnected')
  const explanation = ref<Explanation | null>(null)
  const sessionId = ref<string | null>(null)
  const survives = ref(true)
  const recorded = ref<RecordedParts>('nothing')
  const refusal = ref<string | null>(null)
  const inputWaiting = ref(0)
  const inDoubt = ref(false)
  const link = shallowRef<TerminalLink | null>(null)
  /** Grows with each attempt, so that an abandoned attempt can tell. */
  let attempt = 0

  const offline = computed(() => inDoubt.value && connectionStatus.value === 'connected')
  const errorMessage = computed(() => explanation.value?.title ?? '')

  /** `takeover` takes the session from another tab or device. */
  async function connect(takeover = false): Promise<void> {
    if (connectionStatus.value !== 'disconnected') return
    const mine = (attempt += 1)
    connectionStatus.value = 'connecting'
    explanation.value = null
    try {
      const { prepare, onOutput, onReset, onRestored, onSize, onPeople, onInputCut } = options
      const to = options.to(takeover)
      const size = await prepare()
      if (mine !== attempt || size === null) return
      const onState = (state: LinkState): void => {
        if (mine === attempt) follow(state)
      }
      link.value = new TerminalLink({
        ...to,
        size,
        onOutput,
        onReset,
        onRestored,
        onSize,
        onPeople,
        onRecorded: (parts) => (recorded.value = parts),
        onInputCut,
        onInputWaiting: (count) => (inputWaiting.value = count),
        onDoubt: (isInDoubt) => (inDoubt.value = isInDoubt),
        onState,
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
        sessionId.value = state.sessionId
        survives.value = state.survives
        options.learn(state)
        const isReturn = connectionStatus.value === 'reconnecting'
        connectionStatus.value = 'connected'
        return options.onConnected(isReturn)
      }
      case 'reconnecting':
        if (state.isInputCut) options.onInputCut()
        refusal.value = state.because
        connectionStatus.value = 'reconnecting'
        return options.onReconnecting()
      case 'failed':
        return fail(state.error)
      case 'ended':
        return ended(options.explain(state.end, state.runsOn), state.end.wasConnected || state.runsOn)
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
    sessionId.value = null
    explanation.value = why
    options.onEnded(why, wasConnected)
  }

  /** Ends the running program, or cancels the attempt to start one. */
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
  // The browser restored this page from its back/forward cache. The page closed its socket when it left.
  useEventListener(window, 'pageshow', (event) => {
    if (!event.persisted || connectionStatus.value === 'disconnected') return
    connectionStatus.value = 'disconnected'
    void connect()
  })
  useEventListener(window, 'offline', () => link.value?.networkLost())
  useEventListener(window, 'online', () => link.value?.networkBack())
  useEventListener(document, 'visibilitychange', () => document.visibilityState === 'visible' && retryNow())
  onScopeDispose(leave)
  onScopeDispose(countAsUnsent(() => link.value?.isInputWaiting ?? false))

  return {
    connectionStatus,
    explanation,
    errorMessage,
    /** Id of the connected session. */
    sessionId,
    /** Whether the session survives a restart of the server. */
    survives,
    /** Which parts of the session are recorded. This is the same for every participant. */
    recorded,
    /** Why the server refuses the reconnect for now. Null if the server was out of reach. */
    refusal,
    /** Whether the browser reports that there is no network, while the connection is not yet known to be lost. */
    offline,
    /** Bytes of a paste that the program has not accepted for some time. */
    inputWaiting,
    connect,
    disconnect,
    retryNow,
    write: (bytes: Uint8Array): boolean => link.value?.write(bytes) ?? false,
    dropInput: (): void => link.value?.dropInput(),
    resize: (size: Size): void => link.value?.resize(size),
    ask: (asks: boolean): void => link.value?.ask(asks),
    give: (to: string): void => link.value?.give(to),
    decline: (to: string): void => link.value?.decline(to),
  }
}
