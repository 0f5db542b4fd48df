import type { Recording } from '@slipway/protocol'
import { onScopeDispose, ref, shallowRef, watch } from 'vue'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import type { Progress } from '@/api/transport/reading.ts'
import { readCast, readRecording } from '@/api/recordings.ts'
import { type Cast, CastError, castOf } from '@/recordings/cast.ts'

/** A recording, and what it shows, which is read as it comes. Another one, or another page, ends that. */
export function useRecording(id: () => string) {
  const recording = ref<Recording | null>(null)
  const cast = shallowRef<Cast | null>(null)
  const busy = ref(false)
  /** How far what is being read has come; null until that is known. */
  const progress = shallowRef<Progress | null>(null)
  const missing = ref(false)
  const stopped = ref(false)
  const error = ref<string | null>(null)
  let reading = new AbortController()

  /** Reads it, or what there is of it by now: until that is all there, what was read before stays. Answers whether it is there. */
  async function load(): Promise<boolean> {
    reading.abort()
    reading = new AbortController()
    const { signal } = reading
    busy.value = true
    progress.value = null
    missing.value = stopped.value = false
    error.value = null
    try {
      const found = await readRecording(id())
      signal.throwIfAborted()
      if (cast.value === null) recording.value = found
      const read = await castOf(
        readCast(found.id, signal, (now) => (progress.value = now)),
        signal,
      )
      signal.throwIfAborted()
      recording.value = found
      cast.value = read
    } catch (cause) {
      // Whoever ended it has said what is to be shown.
      if (signal.aborted) return false
      if (cause instanceof ApiError && cause.statusCode === 404) missing.value = true
      else error.value = cause instanceof CastError ? cause.message : messageOf(cause)
    }
    busy.value = false
    return cast.value !== null && error.value === null
  }

  function stop(): void {
    reading.abort()
    busy.value = false
    stopped.value = true
  }

  watch(
    id,
    () => {
      recording.value = null
      cast.value = null
      void load()
    },
    { immediate: true },
  )
  onScopeDispose(() => reading.abort())

  return { recording, cast, busy, progress, missing, stopped, error, load, stop }
}
