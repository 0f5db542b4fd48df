import type { ChangeFiles, GitStatus, LastCommit } from '@slipway/protocol'
import { useDocumentVisibility, useIntervalFn } from '@vueuse/core'
import { onScopeDispose, ref, shallowRef, watch } from 'vue'
import {
  commitStaged,
  discardFiles,
  readLastCommit,
  readStatus,
  stageFiles,
  undoDiscardOf,
  unstageFiles,
} from '@/api/git/git.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { useAttempt } from '@/composables/requests/useAttempt.ts'
import { confirm } from '@/composables/useConfirm.ts'
import { idsOf, type ListedFile } from '@/lib/changes/groups.ts'
import { withHiddenInSight } from '@/lib/format/directions.ts'
import { afterFailedUndo } from './afterFailedUndo.ts'
import { useHooks } from './useHooks.ts'

/** A discard that can be undone while the page is open. */
interface Discard {
  readonly what: string
  readonly kept: string
}

/** Most discards that can be undone here. The oldest one is forgotten. */
const DISCARDS_MAX = 50
/** Time between two looks while the page is visible, in milliseconds: the agent's programs work in the repository, too. */
const LOOK_MS = 5_000

/** One hunk of a file, as the user saw it. */
export type SeenHunk = NonNullable<ChangeFiles['hunk']>

/** The status of a repository, and what a user does with its changes. `key`, `agentId`: of the agent. */
export function useRepository(key: () => string, agentId: () => string, repository: () => string) {
  const hooks = useHooks(agentId, repository)
  const attempt = useAttempt()
  const status = shallowRef<GitStatus | null>(null)
  const error = ref<string | null>(null)
  const withIgnored = ref(false)
  const isBusy = ref(false)
  const discards = shallowRef<readonly Discard[]>([])
  /** How many looks have been answered: what is shown beside the status is read again with each. */
  const looks = ref(0)

  let asked = 0
  let pending = 0
  async function load(): Promise<void> {
    const number = (asked += 1)
    pending += 1
    try {
      const found = await readStatus(key(), { repository: repository(), ignored: withIgnored.value })
      if (number !== asked) return
      status.value = found
      error.value = null
      looks.value += 1
    } catch (cause) {
      if (number === asked) error.value = messageOf(cause)
    } finally {
      pending -= 1
    }
  }

  const visibility = useDocumentVisibility()
  useIntervalFn(() => {
    if (visibility.value === 'visible' && pending === 0 && !isBusy.value) void load()
  }, LOOK_MS)
  watch(
    [repository, key],
    () => {
      status.value = null
      discards.value = []
    },
    { flush: 'sync' },
  )
  watch([repository, key, withIgnored], load, { immediate: true })
  onScopeDispose(() => (asked += 1))

  /** One act at a time, and then a look. Resolves with whether it succeeded. */
  async function act(failure: string, work: () => Promise<unknown>): Promise<boolean> {
    if (isBusy.value) return false
    isBusy.value = true
    let done = false as boolean
    await attempt(failure, async () => (done = await hooks.heard(failure, work)))
    // After a failure, the user can try again during the look.
    if (!done) isBusy.value = false
    await load()
    if (done) isBusy.value = false
    return done
  }
  const body = (files: readonly ListedFile[], hunk?: SeenHunk): ChangeFiles => ({
    repository: repository(),
    files: hunk === undefined ? idsOf(files) : files.slice(0, 1).map(({ file }) => file.id),
    ...(hunk && { hunk }),
  })
  const named = (files: readonly ListedFile[]): string =>
    files.length === 1 ? (files[0]?.file.path ?? '') : `${files.length.toLocaleString('en')} files`

  const stage = (files: readonly ListedFile[], hunk?: SeenHunk) =>
    act('Could not stage', () => stageFiles(key(), { ...body(files, hunk), ...(hunk === undefined && hooks.asked()) }))
  const unstage = (files: readonly ListedFile[], hunk?: SeenHunk) =>
    act('Could not unstage', () => unstageFiles(key(), body(files, hunk)))

  async function discard(files: readonly ListedFile[], hunk?: SeenHunk): Promise<void> {
    const what = withHiddenInSight(hunk === undefined ? named(files) : `a hunk of ${named(files)}`)
    const goes = files.some(({ group }) => group === 'untracked') ? ' Untracked files are removed.' : ''
    const sure = await confirm({
      title: `Discard ${what}?`,
      body: `The work tree becomes as it is staged.${goes} You can undo it: the repository keeps the last ${DISCARDS_MAX} discards.`,
      action: 'Discard',
      danger: true,
    })
    if (!sure) return
    await act('Could not discard', async () => {
      const { kept } = await discardFiles(key(), body(files, hunk))
      remember(what, kept)
    })
  }

  /** Offers to undo a discard. */
  function remember(what: string, kept: string): void {
    discards.value = [...discards.value, { what: withHiddenInSight(what), kept }].slice(-DISCARDS_MAX)
  }

  /** Takes back the last discard. Earlier ones in the same file would not fit before it. */
  async function undo(): Promise<void> {
    const last = discards.value.at(-1)
    if (last === undefined) return
    await act(`Could not bring back ${last.what}`, async () => {
      await undoDiscardOf(key(), { repository: repository(), kept: last.kept }).catch((cause: unknown) => {
        discards.value = afterFailedUndo(discards.value, last, cause)
        throw cause
      })
      discards.value = discards.value.filter((one) => one !== last)
    })
  }

  /** `amends`: the last commit, whose place it takes; null: none. */
  const commit = (message: string, amends: string | null) =>
    act('Could not commit', () =>
      commitStaged(key(), { repository: repository(), message, ...(amends !== null && { amends }), ...hooks.asked() }),
    )
  /** The last commit; null, after a message, if it could not be read. */
  async function readLast(): Promise<LastCommit | null> {
    let last: LastCommit | null = null
    await attempt('Could not read the last commit', async () => (last = await readLastCommit(key(), repository())))
    return last
  }

  return {
    hooks,
    status,
    error,
    withIgnored,
    isBusy,
    discards,
    looks,
    load,
    act,
    stage,
    unstage,
    discard,
    remember,
    undo,
    commit,
    readLast,
  }
}

export type Repository = ReturnType<typeof useRepository>
