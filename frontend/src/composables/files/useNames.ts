import { AGENT_HOME } from '@slipway/protocol'
import { onScopeDispose, ref, shallowRef } from 'vue'
import { listNames } from '@/api/files/fileTree.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { decodePath } from '@/lib/pathBytes.ts'

/** The names of all files of the home, as they arrive. They are read again each time the user asks for a file. */
export function useNames(agentKey: () => string) {
  /** Below the home. */
  const names = shallowRef<readonly string[]>([])
  const isLoading = ref(false)
  const isCut = ref(false)
  const error = ref<string | null>(null)
  let reading: AbortController | null = null

  async function load(): Promise<void> {
    reading?.abort()
    const own = new AbortController()
    reading = own
    isLoading.value = true
    error.value = null
    const found: string[] = []
    try {
      const { truncated } = await listNames(
        agentKey(),
        AGENT_HOME,
        (line) => {
          if (line.type !== 'names') return
          for (const name of line.items) found.push(name)
          for (const name of line.encodedItems ?? []) found.push(decodePath(name))
          if (names.value.length < found.length) names.value = [...found]
        },
        own.signal,
      )
      names.value = found
      isCut.value = truncated
    } catch (cause) {
      if (!own.signal.aborted) error.value = messageOf(cause)
    } finally {
      if (reading === own) isLoading.value = false
    }
  }

  onScopeDispose(() => reading?.abort())
  return { names, isLoading, isCut, error, load }
}
