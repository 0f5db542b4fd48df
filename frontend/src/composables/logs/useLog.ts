import { useDocumentVisibility } from '@vueuse/core'
import { onScopeDispose, ref, shallowRef, watch } from 'vue'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import { followLog } from '@/api/agents/logs.ts'
import { LogBuffer, type LogBlock } from '@/lib/logs/logBuffer.ts'

/** How many lines of the log's end to load first. */
const TAIL = 2_000
/** Delays between tries to reconnect to a log, in milliseconds. The last one repeats. */
const RETRY_MS = [500, 1_000, 2_000, 5_000] as const
/**
 * How far before the newest line a reconnect starts, in milliseconds. A log merges two sources, whose lines may arrive
 * out of order.
 */
const OVERLAP_MS = 2_000

export type LogStatus = 'loading' | 'live' | 'lost' | 'refused'

const nextFrame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => resolve()))

/**
 * An agent's log, followed while the page is visible. A browser allows few connections to one server, so a hidden page
 * closes its own. At most one chunk is drawn per frame, and the next is read only after that.
 */
export function useLog(key: () => string) {
  const buffer = new LogBuffer()
  const blocks = shallowRef<readonly LogBlock[]>([])
  const status = ref<LogStatus>('loading')
  const error = ref<string | null>(null)
  const visibility = useDocumentVisibility()
  let over: AbortController | null = null

  async function follow(signal: AbortSignal): Promise<void> {
    // A function, because the value may change during an `await`.
    const isOver = (): boolean => signal.aborted
    for (let failures = 0; !isOver();) {
      let resumed = buffer.newest !== null
      try {
        for await (const entries of followLog(key(), { tail: TAIL, since: since(), signal })) {
          if (isOver()) return
          failures = 0
          status.value = 'live'
          error.value = null
          if (entries.length === 0) continue
          buffer.add(resumed ? buffer.unknown(entries) : entries)
          resumed = false
          blocks.value = buffer.blocks
          await nextFrame()
        }
      } catch (cause) {
        if (isOver()) return
        error.value = messageOf(cause)
        if (cause instanceof ApiError && !cause.transient) {
          status.value = 'refused'
          return
        }
      }
      if (isOver()) return
      status.value = buffer.newest === null && error.value === null ? 'loading' : 'lost'
      const delay = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]
      failures += 1
      await new Promise((resolve) => setTimeout(resolve, delay))
    }
  }

  function since(): string | null {
    if (buffer.newest === null) return null
    const from = new Date(Date.parse(buffer.newest) - OVERLAP_MS).toISOString()
    return `${from.slice(0, -1)}000000Z`
  }

  function start(): void {
    over?.abort()
    over = new AbortController()
    if (status.value === 'refused') status.value = 'loading'
    void follow(over.signal)
  }

  watch(
    visibility,
    (now) => {
      if (now === 'visible') start()
      else over?.abort()
    },
    { immediate: true },
  )
  onScopeDispose(() => over?.abort())

  return { blocks, status, error, retry: start }
}
