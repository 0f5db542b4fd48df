import type { Recording } from '@slipway/protocol'
import { onScopeDispose, ref, shallowRef, watch } from 'vue'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import type { Progress } from '@/api/transport/reading.ts'
import { readCast, readRecording } from '@/api/sessions/recordings.ts'
import { type Cast, CastError, castOf } from '@/recordings/cast.ts'

/** A recording and its cast, which is read as it arrives. Another recording or another page cancels the reading. */
export function useRecording(id: () => string) {
  const recording = ref<Recording | null>(null)
  const cast = shallowRef<Cast | null>(null)
  const busy = ref(false)
  /** Progress of the reading. Null until it is known. */
  const progress = shallowRef<Progress | null>(null)
  const missing = ref(false)
  const stopped = ref(false)
  const error = ref<string | null>(null)
  let reading = new AbortController()

  /**
   * Reads the recording, or its part so far if the session is running. The old cast stays until the new one is
   * complete. Resolves with whether it is.
   */
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
      // The caller that cancelled has set the state already.
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
