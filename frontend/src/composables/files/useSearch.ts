import { AGENT_HOME, type SearchFiles, type SearchHit } from '@slipway/protocol'
import { computed, onScopeDispose, ref, shallowRef } from 'vue'
import { searchFiles } from '@/api/files/fileTree.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { decodePath } from '@/lib/pathBytes.ts'

/** What a search has found so far: files, each followed by its lines. */
export type FoundRow =
  | { readonly type: 'file'; readonly path: string; readonly below: string; readonly count: number }
  | { readonly type: 'line'; readonly path: string; readonly hit: SearchHit }

/** How often the rows follow the hits, in milliseconds. */
const SHOWN_EVERY_MS = 150

/** Searches in the contents of the files. A new search ends the one before. */
export function useSearch(agentKey: () => string) {
  const hits = shallowRef<readonly SearchHit[]>([])
  const state = ref<'idle' | 'running' | 'done' | 'cancelled'>('idle')
  const isCut = ref(false)
  const error = ref<string | null>(null)
  let running: AbortController | null = null

  async function start(wanted: SearchFiles): Promise<void> {
    running?.abort()
    const own = new AbortController()
    running = own
    state.value = 'running'
    error.value = null
    isCut.value = false
    hits.value = []
    const found: SearchHit[] = []
    let shownAt = 0
    try {
      const { truncated } = await searchFiles(
        agentKey(),
        { path: AGENT_HOME, wanted },
        (line) => {
          if (line.type !== 'hits') return
          for (const hit of line.items) found.push(hit)
          if (performance.now() - shownAt < SHOWN_EVERY_MS) return
          shownAt = performance.now()
          hits.value = [...found]
        },
        own.signal,
      )
      isCut.value = truncated
      state.value = 'done'
    } catch (cause) {
      if (running !== own) return
      if (own.signal.aborted) state.value = 'cancelled'
      else {
        error.value = messageOf(cause)
        state.value = 'done'
      }
    }
    if (running === own) hits.value = found
  }

  const cancel = (): void => running?.abort()

  const rows = computed<FoundRow[]>(() => {
    const files = new Map<string, SearchHit[]>()
    for (const hit of hits.value) {
      const below = hit.encodedPath === undefined ? hit.path : decodePath(hit.encodedPath)
      const own = files.get(below)
      if (own === undefined) files.set(below, [hit])
      else own.push(hit)
    }
    return [...files].flatMap(([below, own]) => {
      const path = `${AGENT_HOME}/${below}`
      return [
        { type: 'file' as const, path, below, count: own.length },
        ...own.map((hit) => ({ type: 'line' as const, path, hit })),
      ]
    })
  })
  const fileCount = computed(() => rows.value.filter(({ type }) => type === 'file').length)

  onScopeDispose(cancel)
  return { hits, rows, fileCount, state, isCut, error, start, cancel }
}
