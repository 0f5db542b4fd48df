import type { RecordedParts } from '@slipway/protocol'
import { useEventListener } from '@vueuse/core'
import { computed, onScopeDispose, ref, shallowRef } from 'vue'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import { countAsUnsent } from '@/lib/browser/unsent.ts'
import type { ConnectionStatus } from '@/stores/terminals.ts'
import type { Explanation } from '@/terminal/session/ends.ts'
import type { Size } from '@/terminal/session/frames.ts'
import { TerminalLink, type LinkOptions, type LinkState } from '@/terminal/session/link.ts'
import type { Connected, SessionEnd } from '@/terminal/session/session.ts'
import type { Feed } from './useFeed.ts'

/** What a terminal's page is told of its session. */
export interface SessionListeners extends Feed, Pick<LinkOptions, 'onPeople'> {
  /** Resolves when there is something to write to; null where the page has gone meanwhile. */
  prepare: () => Promise<Size | null>
  /** `isReturn`: to a session that was there before. */
  onConnected: (isReturn: boolean) => void
  onReconnecting: () => void
  /** Part of what was typed or pasted did not arrive, since the connection was lost under it. */
  onInputCut: (why?: 'control') => void
  /** `explanation` is null where the person asked for the end. */
  onEnded: (explanation: Explanation | null, wasConnected: boolean) => void
}

export interface UseTerminalLinkOptions extends SessionListeners {
  /** What to connect to, looked up with each attempt. */
  to: (takeover: boolean) => Pick<LinkOptions, 'url' | 'introduce' | 'isGuest'>
  /** What the server says of the session, before anybody else hears of it. */
  learn: (connected: Connected) => void
  /** `runsOn`: the person gave it up while it could not be told so. */
  explain: (end: SessionEnd, runsOn: boolean) => Explanation | null
}

/** The session of one terminal: at most one at a time, another one after it. */
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
  /** Grows with each attempt, so that an attempt that was given up finds out. */
  let attempt = 0

  const offline = computed(() => inDoubt.value && connectionStatus.value === 'connected')
  const errorMessage = computed(() => explanation.value?.title ?? '')

  /** `takeover`: from another tab or device that has it now. */
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
  useEventListener(window, 'offline', () => link.value?.networkLost())
  useEventListener(window, 'online', () => link.value?.networkBack())
  useEventListener(document, 'visibilitychange', () => document.visibilityState === 'visible' && retryNow())
  onScopeDispose(leave)
  onScopeDispose(countAsUnsent(() => link.value?.isInputWaiting ?? false))

  return {
    connectionStatus,
    explanation,
    errorMessage,
    /** Of the session that is connected. */
    sessionId,
    /** Whether that goes on while the server is restarted. */
    survives,
    /** What of it is recorded, whoever types. */
    recorded,
    /** Why the server does not take them back now, while it is asked again; null where it was not reached. */
    refusal,
    /** Whether there is no network, as the browser says, while the connection is not known to be lost. */
    offline,
    /** Bytes of a paste that its program does not take for a while already. */
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
