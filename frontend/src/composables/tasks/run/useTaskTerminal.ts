import { type CodingSession, MAX_INPUT_BYTES, type PlatformEvent } from '@slipway/protocol'
import { useToast } from '@nuxt/ui/composables'
import { onMounted, onScopeDispose, ref, watch } from 'vue'
import { accessToken } from '@/api/identity/auth.ts'
import { eventsUrl } from '@/api/sessions/sockets.ts'
import { type EventStream, followEvents } from '@/api/transport/events.ts'
import { useOpenPort } from '@/composables/agents/useOpenPort.ts'
import { useTerminalView } from '@/composables/terminal/screen/useTerminalView.ts'
import { isActive } from '@/lib/tasks/taskState.ts'
import type { ConnectionStatus } from '@/stores/agents/terminals.ts'
import { bytesOfText, type Size } from '@/terminal/session/frames.ts'

/** How long keys are gathered before they are sent, in milliseconds. The server takes a few messages at a time. */
const GATHER_MS = 10
/** Most output that waits for the emulator, in bytes. With more, it begins again with the end of the output. */
const UNPARSED_MAX = 1_048_576
/** How long after a text its Enter follows, in milliseconds. CLIs take both at once for a paste with a line break. */
const ENTER_AFTER_MS = 150

/**
 * The terminal of an interactive task, over the event socket. It needs no client of the terminal: the server answers the
 * program's queries. It has a socket of its own, so that a flood of output delays no state of an agent. `mayType`:
 * whether the user may type into this task.
 */
export function useTaskTerminal(task: () => CodingSession, mayType: () => boolean) {
  const toast = useToast()
  const openPort = useOpenPort()
  const status = ref<ConnectionStatus>('connecting')
  /** Why the last input did not reach the program. */
  const refusal = ref<string | null>(null)
  const decoder = new TextDecoder()
  let stream: EventStream | null = null
  let size: Size | null = null
  /** Output that the emulator has not parsed yet, in bytes. */
  let unparsed = 0
  let isBehind = false
  let gathered = ''
  let sending: ReturnType<typeof setTimeout> | null = null
  let entering: ReturnType<typeof setTimeout> | null = null

  const isConnected = (): boolean => status.value === 'connected'
  const hasControl = (): boolean => mayType() && isActive(task().state)
  const elsewhere = (title: string): void =>
    void toast.add({ title, description: 'Open its terminal in the agent to do so.', color: 'neutral' })
  const view = useTerminalView({
    visible: () => true,
    connected: isConnected,
    reconnecting: () => status.value === 'reconnecting',
    hasControl,
    mayType: hasControl,
    answersQueries: false,
    write,
    resize,
    sendFiles: () => Promise.resolve(elsewhere('Files cannot be uploaded here')),
    onFile: () => elsewhere('Files cannot be downloaded here'),
    onPort: ({ port, path }) => {
      const { agent } = task()
      if (agent !== null) void openPort(agent, port, path)
    },
    isFullscreen: () => false,
    leaveFullscreen: () => undefined,
  })

  function write(bytes: Uint8Array): boolean {
    const text = decoder.decode(bytes)
    if (!isConnected() || gathered.length + text.length > MAX_INPUT_BYTES) return false
    gathered += text
    sending ??= setTimeout(send, GATHER_MS)
    return true
  }

  function send(): void {
    sending = null
    refusal.value = null
    const data = gathered
    gathered = ''
    if (stream?.send({ type: 'coding-agent:input', sessionId: task().id, data }) !== true)
      refusal.value = 'The connection was lost, so the last keys were not typed.'
  }

  function resize(next: Size): void {
    size = next
    if (hasControl()) stream?.send({ type: 'coding-agent:resize', sessionId: task().id, ...next })
  }

  function subscribe(): void {
    view.feed.onReset(null)
    stream?.send({ type: 'coding-agent:subscribe', sessionId: task().id })
    if (size !== null) resize(size)
  }

  function show(data: string): void {
    const bytes = bytesOfText(data)
    if (unparsed + bytes.length > UNPARSED_MAX) {
      stream?.close()
      isBehind = true
      return
    }
    unparsed += bytes.length
    const consumed = (): void => {
      unparsed -= bytes.length
      if (!isBehind || unparsed > 0) return
      isBehind = false
      follow()
    }
    view.feed.onOutput(bytes, consumed, false)
  }

  /** The screen stays readable. */
  function end(): void {
    if (status.value === 'disconnected') return
    status.value = 'disconnected'
    refusal.value = null
    stream?.close()
    view.retire()
  }

  function hear(event: PlatformEvent): void {
    if (!('sessionId' in event) || event.sessionId !== task().id) return
    if (event.type === 'coding-agent:session:output') show(event.data)
    else if (event.type === 'coding-agent:session:error') refusal.value = event.error
    else if (event.type === 'coding-agent:session:exit') end()
    else if (event.type === 'coding-agent:session:state' && !isActive(event.state)) end()
  }

  function follow(): void {
    if (status.value === 'disconnected') return
    stream = followEvents({
      url: eventsUrl(),
      token: accessToken,
      onEvent: hear,
      onOnline: (online) => {
        status.value = online ? 'connected' : 'reconnecting'
        if (online) subscribe()
      },
    })
  }

  /** Types a text and then Enter, or Enter alone. */
  function say(text: string): void {
    const enter = (): void => view.screen.value?.terminal.input('\r')
    if (text === '') return enter()
    view.screen.value?.terminal.input(text)
    if (entering !== null) clearTimeout(entering)
    entering = setTimeout(enter, ENTER_AFTER_MS)
  }

  onMounted(async () => {
    size = await view.prepare()
    if (size !== null) follow()
  })
  watch(
    () => task().state,
    (state) => {
      if (!isActive(state)) end()
      // It had no terminal yet when this page asked for it.
      else if (isConnected() && !view.printed.value) subscribe()
    },
  )
  onScopeDispose(() => {
    status.value = 'disconnected'
    stream?.close()
    for (const timer of [sending, entering]) if (timer !== null) clearTimeout(timer)
  })

  return { view, status, refusal, say, retry: () => stream?.retryNow() }
}
