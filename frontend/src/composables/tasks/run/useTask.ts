import type { CodingSession } from '@slipway/protocol'
import { useIntervalFn } from '@vueuse/core'
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue'
import { followTask, readTask } from '@/api/tasks/tasks.ts'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import type { Entry } from '@/lib/tasks/transcript/entries.ts'
import { isActive } from '@/lib/tasks/taskState.ts'
import type { ModelCall } from '@/lib/tasks/timeline/calls.ts'
import { Transcript } from '@/lib/tasks/transcript/transcript.ts'
import { NOTHING_USED } from '@/lib/tasks/transcript/usage.ts'
import { useTasksStore } from '@/stores/tasks/tasks.ts'

/** After this silence of an active task the page asks for its state, and how often, in milliseconds. */
const POLL_MS = 3_000
/** Delays between tries to follow the events, in milliseconds. The last one repeats. */
const RETRY_MS = [500, 1_000, 2_000, 3_000] as const

/** Why a task cannot be shown. */
export type Missing = 'not-found' | 'no-access'

/**
 * One task and its events, live. After a lost connection the stream continues behind the last event, so nothing is lost
 * and nothing comes twice. The scope that calls it belongs to one task.
 */
export function useTask(id: string) {
  const tasks = useTasksStore()
  const session = shallowRef<CodingSession | null>(null)
  const missing = ref<Missing | null>(null)
  /** Why the task, or its events, could not be loaded. */
  const error = ref<string | null>(null)
  const eventsError = ref<string | null>(null)
  const entries = shallowRef<readonly Entry[]>([])
  const used = shallowRef(NOTHING_USED)
  const dropped = ref(0)
  const firstAt = ref<string | null>(null)
  const calls = shallowRef<readonly ModelCall[]>([])
  /** Whether all events so far have arrived once. */
  const isCaughtUp = ref(false)
  /** Whether the page asks over REST, because the stream is lost or brings nothing. */
  const isPolling = ref(false)

  const leave = new AbortController()
  let stream = new AbortController()
  let transcript: Transcript | null = null
  let heardAt = Date.now()
  /** Whether a request for events is under way. The server may answer it only with the next event. */
  let isAsking = false
  let isOver = false
  let frame: number | null = null

  /** Shows what has arrived, once for each frame. */
  function draw(): void {
    frame = null
    if (transcript === null) return
    entries.value = transcript.entries
    used.value = transcript.used
    dropped.value = transcript.dropped
    firstAt.value = transcript.firstAt
    calls.value = transcript.calls.all
  }
  const drawSoon = (): void => void (frame ??= requestAnimationFrame(draw))

  const isDone = (): boolean => session.value !== null && !isActive(session.value.state)
  const isLeft = (): boolean => leave.signal.aborted || missing.value !== null
  /** Number of the task's last event, as the server told it last. */
  const lastSeq = (): number => session.value?.lastSeq ?? 0

  async function refresh(): Promise<void> {
    try {
      const task = await readTask(id)
      if (leave.signal.aborted) return
      session.value = task
      transcript ??= new Transcript(task)
      error.value = null
      tasks.put(task)
    } catch (cause) {
      if (leave.signal.aborted) return
      if (cause instanceof ApiError && (cause.statusCode === 404 || cause.statusCode === 400))
        missing.value = 'not-found'
      else if (cause instanceof ApiError && cause.statusCode === 403) missing.value = 'no-access'
      else error.value = messageOf(cause)
      throw cause
    }
  }

  /** Reads events until the stream ends. */
  async function read(into: Transcript): Promise<void> {
    stream = new AbortController()
    const signal = AbortSignal.any([leave.signal, stream.signal])
    for await (const events of followTask(id, into.seq, signal)) {
      heardAt = Date.now()
      eventsError.value = null
      isPolling.value = false
      into.apply(events)
      drawSoon()
      if (into.seq >= lastSeq()) isCaughtUp.value = true
    }
  }

  async function follow(): Promise<void> {
    for (let failures = 0; !leave.signal.aborted && missing.value === null;) {
      try {
        await refresh()
        const before = transcript?.seq
        isAsking = true
        if (transcript !== null) await read(transcript)
        isAsking = false
        failures = before === transcript?.seq ? failures + 1 : 0
        await refresh()
        const hasAll = (transcript?.seq ?? 0) >= lastSeq()
        // The stream of a task that has ended brings all there is.
        if (isDone() && (hasAll || failures > 0)) return finish()
      } catch (cause) {
        failures += 1
        // The transcript was removed, so there is nothing to wait for.
        if (cause instanceof ApiError && cause.statusCode === 410) {
          eventsError.value = messageOf(cause)
          if (isDone()) return finish()
        } else if (!isLeft() && !(cause instanceof DOMException)) {
          // A loss that may pass is no error: the page says that it asks.
          eventsError.value = cause instanceof ApiError && cause.transient ? null : messageOf(cause)
        }
      } finally {
        isAsking = false
      }
      await pause(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? POLL_MS)
    }
  }

  function finish(): void {
    isOver = true
    isPolling.value = false
    isCaughtUp.value = true
    transcript?.end()
    drawSoon()
  }

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      leave.signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
    })

  /** A silent stream is no loss: the model may think. The task's own number of events says whether any are missing. */
  async function look(): Promise<void> {
    if (isOver || isLeft() || session.value === null || Date.now() - heardAt < POLL_MS) return
    const wasAsking = isAsking
    const had = transcript?.seq ?? 0
    const isAnswered = await refresh().then(
      () => true,
      () => false,
    )
    const isBehind = lastSeq() > had && transcript?.seq === had
    isPolling.value = !isAnswered || !wasAsking || isBehind
    if (isBehind && wasAsking) stream.abort()
  }

  useIntervalFn(() => void look(), POLL_MS)
  const unlisten = tasks.listen((changed) => {
    if (changed === id && !isLeft()) void refresh().catch(() => undefined)
  })
  onScopeDispose(() => {
    leave.abort()
    unlisten()
    if (frame !== null) cancelAnimationFrame(frame)
  })
  watch(session, (task) => task !== null && task.lastSeq === 0 && isDone() && (isCaughtUp.value = true))
  void follow()

  return {
    session,
    missing,
    error,
    eventsError,
    entries,
    used,
    dropped,
    firstAt,
    calls,
    isCaughtUp,
    isPolling: computed(() => isPolling.value && missing.value === null),
    refresh: () => refresh().catch(() => undefined),
  }
}
