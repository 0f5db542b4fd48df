import type { GitProposal, GitStatus } from '@slipway/protocol'
import { computed, ref, shallowRef, watch } from 'vue'
import { proposeBranch, readProposal } from '@/api/git/git.ts'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import { keepPublishDraft, publishDraftOf, type PublishDraft } from '@/lib/tasks/publish/kept.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'

/** What a pull request is opened with. */
interface PullFields {
  readonly title: string
  readonly text: string
  readonly base: string
  /** It is not opened as a draft. */
  readonly isReady: boolean
}

/**
 * The pull request of the branch that is checked out, and what the user has typed for one. That is kept in this browser
 * until it is opened. `key`: of the agent.
 */
export function usePullRequest(key: () => string, repository: () => string, status: () => GitStatus) {
  const userId = useAuthStore().user?.id ?? ''
  const proposal = shallowRef<GitProposal | null>(null)
  const failure = shallowRef<{ readonly code: string; readonly message: string } | null>(null)
  const isBusy = ref(false)
  /** Whether the last request found one that was open already. */
  const wasOpen = ref(false)
  /** Where the draft is kept, beside those of tasks. */
  const placeOf = (branch: string): string => ['changes', key(), repository(), branch].join(' ')
  const place = computed(() => placeOf(status().branch ?? ''))
  const draft = shallowRef<PublishDraft>({})

  let asked = 0
  async function load(): Promise<void> {
    const number = (asked += 1)
    const { remote, branch, commit } = status()
    const isPossible = remote !== null && branch !== null && commit !== null
    // Without an answer the page only offers less.
    const found = isPossible ? await readProposal(key(), repository()).catch(() => proposal.value) : null
    if (number === asked) proposal.value = found
  }
  watch(
    place,
    (now) => {
      proposal.value = null
      failure.value = null
      wasOpen.value = false
      draft.value = publishDraftOf(userId, now)
    },
    { immediate: true, flush: 'sync' },
  )
  watch([place, () => status().commit, () => status().upstream, () => status().ahead], load, { immediate: true })

  function change(more: PublishDraft): void {
    draft.value = { ...draft.value, ...more }
    keepPublishDraft(userId, place.value, draft.value)
  }
  const form = computed<PullFields>(() => {
    const { suggested, base } = proposal.value ?? {}
    return {
      title: draft.value.title ?? suggested?.title ?? '',
      text: draft.value.text ?? suggested?.body ?? '',
      base: draft.value.base ?? base ?? '',
      isReady: draft.value.ready === 'yes',
    }
  })

  /** Opens one of the branch, or finds that one is open. Meanwhile another branch may be checked out. */
  async function open(branch: string, { base, title, text, isReady }: PullFields): Promise<void> {
    if (isBusy.value) return
    isBusy.value = true
    failure.value = null
    const body = { repository: repository(), branch, base, title: title.trim(), body: text, draft: !isReady }
    const from = place.value
    try {
      const { pullRequest, opened } = await proposeBranch(key(), body)
      keepPublishDraft(userId, placeOf(branch), {})
      if (placeOf(branch) !== place.value || proposal.value === null) return
      draft.value = {}
      wasOpen.value = !opened
      asked += 1
      proposal.value = { ...proposal.value, pullRequest }
    } catch (cause) {
      if (from === place.value)
        failure.value = { code: cause instanceof ApiError ? cause.code : '', message: messageOf(cause) }
    } finally {
      isBusy.value = false
    }
  }

  return { proposal, failure, isBusy, wasOpen, form, change, open }
}

export type PullRequestOf = ReturnType<typeof usePullRequest>
