import type { GitCommit } from '@slipway/protocol'
import { computed, ref, shallowRef, watch } from 'vue'
import { listRefs, readLog } from '@/api/git/git.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { Graph, type GraphRow } from '@/lib/changes/graph.ts'

/** A commit, its graph, and what names it. */
export interface HistoryRow {
  readonly commit: GitCommit
  readonly graph: GraphRow
}

/** A name of a commit. */
export interface CommitName {
  readonly kind: 'branch' | 'remote' | 'tag'
  readonly name: string
}

/** Commits of one request. */
const PAGE = 500
/** Most commits that the page keeps. */
const COMMITS_MAX = 50_000

/**
 * The commits of a repository, page by page, from all branches or from the one that is checked out. They are read anew when
 * `head` changes.
 */
export function useHistory(key: () => string, repository: () => string, head: () => string | null) {
  const from = ref<'all' | 'head'>('all')
  const rows = shallowRef<readonly HistoryRow[] | null>(null)
  const names = shallowRef<ReadonlyMap<string, readonly CommitName[]>>(new Map())
  const more = ref(false)
  const error = ref<string | null>(null)
  const isBusy = ref(false)
  let graph = new Graph()

  let asked = 0
  async function next(isFirst: boolean): Promise<void> {
    const number = (asked += 1)
    isBusy.value = true
    const skip = isFirst ? 0 : (rows.value?.length ?? 0)
    try {
      const start = from.value === 'head' ? (head() ?? undefined) : undefined
      const query = { repository: repository(), skip, limit: PAGE, ...(start !== undefined && { from: start }) }
      const [log, refs] = await Promise.all([
        readLog(key(), query),
        isFirst ? listRefs(key(), repository()) : Promise.resolve(null),
      ])
      if (number !== asked) return
      if (isFirst) graph = new Graph()
      const drawn = graph.add(log.items)
      const read = log.items.flatMap((commit, at) => (drawn[at] ? [{ commit, graph: drawn[at] }] : []))
      rows.value = isFirst ? read : [...(rows.value ?? []), ...read]
      more.value = log.more && rows.value.length < COMMITS_MAX
      error.value = null
      if (refs) names.value = byCommit(refs.items)
    } catch (cause) {
      if (number === asked) error.value = messageOf(cause)
    } finally {
      if (number === asked) isBusy.value = false
    }
  }
  watch([from, head, repository], () => next(true), { immediate: true })

  return {
    ...{ from, rows, names, more, error, isBusy },
    isWhole: computed(() => rows.value !== null && !more.value),
    reload: () => next(true),
    /** Reads the next page, unless one is being read. */
    further: async (): Promise<void> => {
      if (more.value && !isBusy.value) await next(false)
    },
  }
}

const byCommit = (refs: readonly (CommitName & { readonly commit: string })[]): Map<string, CommitName[]> => {
  const found = new Map<string, CommitName[]>()
  for (const { kind, name, commit } of refs) found.set(commit, [...(found.get(commit) ?? []), { kind, name }])
  return found
}
