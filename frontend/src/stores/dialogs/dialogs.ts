import { type Dialog, DIALOGS_LIMIT_MAX, type PlatformEvent, type RuleOwner } from '@slipway/protocol'
import { defineStore } from 'pinia'
import { computed, shallowReactive, ref } from 'vue'
import * as api from '@/api/dialogs/dialogs.ts'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import { useAgentsStore } from '../agents/agents.ts'
import { useAuthStore } from '../identity/auth.ts'
import { useDraftsStore } from './drafts.ts'

/** Most closed questions that are kept, so that a page can say who answered. The oldest ones are dropped. */
export const CLOSED_MAX = 50
/** Most questions that are read one by one, because they were closed while the page had no events. */
const REREAD_MAX = 20

const isOpen = ({ state }: Dialog): boolean => state === 'open'
const oldestFirst = (a: Dialog, b: Dialog): number => a.openedAt.localeCompare(b.openedAt)

/** The questions of agents to people, as of the server's last message. */
export const useDialogsStore = defineStore('dialogs', () => {
  const auth = useAuthStore()
  const agents = useAgentsStore()
  const drafts = useDraftsStore()
  const byId = shallowReactive(new Map<string, Dialog>())
  /** Questions that the user answers in this page. Other windows of the same user have their own. */
  const answeredHere = shallowReactive(new Set<string>())
  const loaded = ref(false)
  const error = ref<string | null>(null)
  /** Questions that an event told of during each request of all, because its response may be older. */
  const readings = new Set<Set<string>>()
  let begun = 0
  let shown = 0

  /** The oldest first, so that a new one moves no other. */
  const all = computed(() => [...byId.values()].sort(oldestFirst))
  const open = computed(() => all.value.filter(isOpen))
  /** Those that wait for this user: of their own tasks, and in their own agents. */
  const needed = computed(() => open.value.filter(isForMe))

  /** How much needs this user: questions, and terminals whose program waits. */
  const count = computed(() => needed.value.length + agents.needing.length)

  const relationOf = ({ agent }: Dialog) => agents.all.find(({ name }) => name === agent)?.relation ?? null
  const isMine = ({ userId }: Dialog): boolean => userId === auth.user?.id

  /** Whether it waits for this user, if it is open. */
  function isForMe(dialog: Dialog): boolean {
    return isMine(dialog) || relationOf(dialog) === 'owner'
  }
  /** Whether the server takes an answer of this user. A guest of an agent only sees what others are asked. */
  function mayAnswer(dialog: Dialog): boolean {
    return isForMe(dialog) || relationOf(dialog) === 'admin'
  }

  /** Whose rules an answer of this user may make. Those of the user count for their own tasks only. */
  function ruleOwnersOf(dialog: Dialog): RuleOwner[] {
    const relation = relationOf(dialog)
    return [
      ...(isMine(dialog) ? (['user'] as const) : []),
      ...(relation === 'owner' || relation === 'admin' ? (['agent'] as const) : []),
      ...(auth.isAdmin ? (['platform'] as const) : []),
    ]
  }

  function drop(dialogs: readonly Dialog[]): void {
    for (const { id } of dialogs) {
      byId.delete(id)
      answeredHere.delete(id)
      drafts.forget(id)
    }
  }

  function put(dialog: Dialog): void {
    // A closed question stays closed: the response is older than the event.
    if (isOpen(dialog) && byId.get(dialog.id)?.closedAt != null) return
    byId.set(dialog.id, dialog)
    if (!isOpen(dialog)) drafts.forget(dialog.id)
    drop(open.value.slice(0, -DIALOGS_LIMIT_MAX))
    const closed = all.value.filter((one) => !isOpen(one))
    closed.sort((a, b) => (a.closedAt ?? '').localeCompare(b.closedAt ?? ''))
    drop(closed.slice(0, -CLOSED_MAX))
  }

  /**
   * Reads one question again. One that the user may not see any more is dropped. Any other failure leaves it, and its
   * message is the answer.
   */
  async function refresh(id: string): Promise<string | null> {
    try {
      put(await api.readDialog(id))
    } catch (cause) {
      if (!(cause instanceof ApiError) || ![403, 404].includes(cause.statusCode)) return messageOf(cause)
      byId.delete(id)
    }
    return null
  }

  /** Reloads the open questions. The old ones stay visible meanwhile. */
  async function load(): Promise<void> {
    const meanwhile = new Set<string>()
    const mine = (begun += 1)
    readings.add(meanwhile)
    try {
      const found = await api.listOpenDialogs()
      if (mine < shown) return
      shown = mine
      const ids = new Set(found.map(({ id }) => id))
      const gone = open.value.filter(({ id }) => !ids.has(id) && !meanwhile.has(id))
      for (const dialog of found) put(dialog)
      for (const { id } of gone.slice(-REREAD_MAX)) void refresh(id)
      drop(gone.slice(0, -REREAD_MAX))
      error.value = null
      loaded.value = true
    } catch (cause) {
      if (mine > shown) error.value = messageOf(cause)
    } finally {
      readings.delete(meanwhile)
    }
  }

  function apply(event: PlatformEvent): void {
    if (event.type === 'dialog:opened' || event.type === 'dialog:answered' || event.type === 'dialog:closed') {
      for (const meanwhile of readings) meanwhile.add(event.dialog.id)
      put(event.dialog)
    } else if (event.type === 'agent_removed') {
      drop(all.value.filter(({ agent }) => agent === event.name))
    }
  }

  function clear(): void {
    // Responses still under way belong to the earlier user.
    shown = begun += 1
    byId.clear()
    answeredHere.clear()
    drafts.clear()
    loaded.value = false
    error.value = null
  }

  return {
    all,
    answeredHere,
    open,
    needed,
    count,
    loaded,
    error,
    find: (id: string): Dialog | null => byId.get(id) ?? null,
    isForMe,
    mayAnswer,
    ruleOwnersOf,
    put,
    refresh,
    load,
    apply,
    clear,
  }
})
