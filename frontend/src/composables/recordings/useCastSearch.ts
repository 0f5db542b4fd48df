import { onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue'
import type { Cast } from '@/recordings/cast.ts'
import type { TextPiece } from '@/recordings/plainText.ts'
import { type Hit, hitsIn, textOf } from '@/recordings/search.ts'

/** The search in a recording. The recording's text is built at the first search. */
export function useCastSearch(cast: Ref<Cast | null>) {
  const needle = ref('')
  const hits = shallowRef<readonly Hit[] | null>(null)
  let text: Promise<readonly TextPiece[] | null> | null = null
  let stop = new AbortController()

  async function search(): Promise<void> {
    const { value: wanted } = needle
    hits.value = null
    if (wanted === '' || cast.value === null) return
    text ??= textOf(cast.value, stop.signal)
    const pieces = await text
    if (pieces !== null && wanted === needle.value) hits.value = hitsIn(pieces, wanted)
  }

  watch(needle, search)
  watch(cast, () => {
    stop.abort()
    stop = new AbortController()
    text = null
    void search()
  })
  onScopeDispose(() => stop.abort())
  return { needle, hits }
}
