import type { CodingSession, Publication } from '@slipway/protocol'
import { useEventListener } from '@vueuse/core'
import { computed, ref, shallowRef, watch } from 'vue'
import { commitWork, proposeWork, pushBranch, readPublication } from '@/api/git/publications.ts'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import { isOfPublishDrafts, keepPublishDraft, publishDraftOf, type PublishDraft } from '@/lib/tasks/publish/kept.ts'
import { messageFrom, needsBranch, partsOf, stepsOf } from '@/lib/tasks/publish/steps.ts'
import { isActive } from '@/lib/tasks/taskState.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { usePullText } from './usePullText.ts'

export type StepName = 'commit' | 'push' | 'pull'

/** Why a step failed. */
export interface StepFailure {
  readonly step: StepName
  readonly code: string
  readonly message: string
}

/**
 * What there is to publish of a task, what the user has typed for it, and the steps. What is typed is kept in this browser
 * until its step is done.
 */
export function usePublication(task: () => CodingSession, validation: () => string | null) {
  const userId = useAuthStore().user?.id ?? ''
  const agents = useAgentsStore()
  const { id } = task()
  const publication = shallowRef<Publication | null>(null)
  const error = ref<string | null>(null)
  const isLoading = ref(false)
  /** The step that runs. */
  const busy = ref<StepName | null>(null)
  const failure = shallowRef<StepFailure | null>(null)
  const draft = shallowRef<PublishDraft>(publishDraftOf(userId, id))

  let asked = 0
  async function load(): Promise<void> {
    const number = (asked += 1)
    isLoading.value = true
    const found = await readPublication(id).catch((cause: unknown) => messageOf(cause))
    if (number !== asked) return
    isLoading.value = false
    error.value = typeof found === 'string' ? found : null
    if (typeof found !== 'string') publication.value = found
  }
  const agentRuns = computed(() => agents.own.find(({ name }) => name === task().agent)?.state === 'running')
  // A new verdict changes the text that is proposed.
  watch([() => isActive(task().state), agentRuns, validation], load, { immediate: true })

  function keep(next: PublishDraft): void {
    draft.value = next
    keepPublishDraft(userId, id, next)
  }
  // Another tab may have changed other fields.
  const change = (more: PublishDraft): void => keep({ ...publishDraftOf(userId, id), ...more })
  useEventListener('storage', (event) => {
    if (isOfPublishDrafts(event)) draft.value = publishDraftOf(userId, id)
  })
  /** Drops what its step has sent. What the user has typed meanwhile stays. */
  function forget(sent: PublishDraft, ...fields: readonly (keyof PublishDraft)[]): void {
    const stored = publishDraftOf(userId, id)
    const used = new Set<string>(fields.filter((field) => stored[field] === sent[field]))
    keep(Object.fromEntries(Object.entries(stored).filter(([field]) => !used.has(field))))
  }

  const pullText = usePullText(id, () => {
    const pull = publication.value?.pullRequest
    return pull ? `${pull.number} ${pull.updatedAt} ${validation()}` : null
  })

  const form = computed(() => {
    const { suggested, branch = null, base = null } = publication.value ?? {}
    const pull = pullText.text.value ?? suggested
    const proposed = partsOf(suggested?.message ?? '')
    const isNew = publication.value === null || needsBranch(publication.value)
    return {
      branch: draft.value.branch ?? (isNew ? suggested?.branch : branch) ?? '',
      subject: draft.value.subject ?? proposed.subject,
      body: draft.value.body ?? proposed.body,
      base: draft.value.base ?? base ?? '',
      title: draft.value.title ?? pull?.title ?? '',
      text: draft.value.text ?? pull?.body ?? '',
      isReady: draft.value.ready === 'yes',
    }
  })
  const steps = computed(() => publication.value && stepsOf(publication.value))
  /** Whether the host has just said that the pull request is merged or closed. What Slipway keeps does not know that. */
  const isClosed = computed(() => failure.value?.code === 'PULL_REQUEST_CLOSED')

  async function act(step: StepName, work: () => Promise<unknown>): Promise<boolean> {
    if (busy.value !== null) return false
    busy.value = step
    failure.value = null
    const failed = await work().then(
      () => null,
      (cause: unknown) => ({ step, code: cause instanceof ApiError ? cause.code : '', message: messageOf(cause) }),
    )
    // A request whose answer was lost may have done its work.
    await load()
    failure.value = failed
    busy.value = null
    return failed === null
  }

  const commit = (): Promise<boolean> =>
    act('commit', async () => {
      const sent = draft.value
      const { branch, subject, body } = form.value
      await commitWork(id, { branch, message: messageFrom(subject, body) })
      forget(sent, 'branch', 'subject', 'body')
    })
  const push = (branch: string, at: string): Promise<boolean> =>
    act('push', () => pushBranch(id, { branch, commit: at }))
  /** What a pull request would be opened or changed with now. */
  const proposal = () => ({ branch: publication.value?.branch ?? '', fields: form.value, sent: draft.value })
  /** `another`: also if that of the branch is merged or closed. */
  const propose = ({ branch, fields, sent }: ReturnType<typeof proposal>, another = false): Promise<boolean> =>
    act('pull', async () => {
      const { base, title, text, isReady } = fields
      await proposeWork(id, { branch, base, title: title.trim(), body: text, draft: !isReady, another })
      forget(sent, 'base', 'title', 'text', 'ready')
    })

  return {
    publication,
    pullText,
    error,
    isLoading,
    busy,
    failure,
    form,
    steps,
    isClosed,
    load,
    change,
    commit,
    push,
    proposal,
    propose,
  }
}

export type PublicationOf = ReturnType<typeof usePublication>
