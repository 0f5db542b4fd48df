import type { Agent, LiveSession } from '@slipway/protocol'
import { useLocalStorage, useMediaQuery } from '@vueuse/core'
import { computed, ref, shallowRef, watch } from 'vue'
import type { TabOrder } from '@/composables/terminal/session/useTerminalSession.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useProvidersStore } from '@/stores/tasks/providers.ts'
import type { ConnectionStatus } from '@/stores/agents/terminals.ts'
import { selectedModeOf, type SelectedMode } from '@/terminal/session/modes.ts'
import {
  activated,
  closed,
  freeName,
  labelsOf,
  ONE_TAB,
  opened,
  readLayout,
  renamed,
  shownTabs,
  withLive,
  type TabLayout,
  type TerminalTab,
} from '@/terminal/tabs/tabs.ts'

/** Most agents whose tabs this browser remembers. The oldest ones are forgotten. */
const REMEMBERED_MAX = 50
/** From this width on, two terminals fit side by side. */
const ROOMY = '(min-width: 1280px)'

/** The state of an agent's terminals together: that of the one that is furthest. */
const FURTHEST: readonly ConnectionStatus[] = ['connected', 'reconnecting', 'connecting']

/** A user's terminals in one agent: their tabs, which this browser remembers, and what the server tells of them. */
export function useTerminalTabs(agent: () => Agent) {
  const agents = useAgentsStore()
  const auth = useAuthStore()
  const providers = useProvidersStore()
  const isRoomy = useMediaQuery(ROOMY)
  const remembered = useLocalStorage<Record<string, TabLayout>>('slipway-terminal-tabs', {})
  const place = `${auth.user?.id ?? ''}:${agent().id}`

  const layout = shallowRef(readLayout(remembered.value[place]))
  /** Tasks and folders for which tabs were opened. */
  const orders = new Map<string, Pick<TabOrder, 'task' | 'folder'>>()
  const statuses = ref(new Map<string, ConnectionStatus>())
  /** The program of each tab that has connected. */
  const modes = ref(new Map<string, SelectedMode>())
  /** Tabs that have printed while they were hidden. */
  const unseen = ref(new Set<string>())
  /** Tabs that the user has closed and whose sessions the server still lists. */
  const leaving = ref(new Set<string>())

  const live = computed(
    () =>
      new Map(
        agents
          .sessionsOf(agent())
          .flatMap((session): [string, LiveSession][] =>
            session.userId === auth.user?.id ? [[session.tab ?? '', session]] : [],
          ),
      ),
  )
  const shown = computed(() => shownTabs(layout.value, isRoomy.value))
  const labels = computed(() =>
    labelsOf(layout.value.tabs, ({ name, mode }) =>
      providers.modeLabel(modes.value.get(name) ?? mode, agent().runtime),
    ),
  )
  const statusOf = (name: string): ConnectionStatus => statuses.value.get(name) ?? 'disconnected'
  const status = computed(
    () => FURTHEST.find((one) => [...statuses.value.values()].includes(one)) ?? ('disconnected' as const),
  )
  /** How many terminals the user has here, as far as this page knows. */
  const count = computed(() => {
    const going = layout.value.tabs.map(({ name }) => name).filter((name) => statusOf(name) !== 'disconnected')
    return new Set([...going, ...live.value.keys()].filter((name) => !leaving.value.has(name))).size
  })

  watch(
    live,
    (now) => {
      for (const name of leaving.value) if (!now.has(name)) leaving.value.delete(name)
      const { runtime } = agent()
      const known = [...now].filter(([name]) => !leaving.value.has(name))
      layout.value = withLive(
        layout.value,
        known.map(([name, { mode }]) => ({ name, mode: selectedModeOf(mode, runtime) })),
      )
    },
    { immediate: true },
  )
  watch(layout, (now) => {
    const { [place]: _before, ...others } = remembered.value
    const kept = Object.entries(others).slice(1 - REMEMBERED_MAX)
    remembered.value = Object.fromEntries(now === ONE_TAB ? kept : [...kept, [place, now]])
  })
  watch(shown, (now) => {
    for (const name of now) unseen.value.delete(name)
  })

  function open(mode: SelectedMode, { task = null, folder = null }: Partial<TabOrder> = {}, wanted?: string): void {
    const name = wanted ?? freeName(layout.value, mode, [...live.value.keys()])
    orders.set(name, { task, folder })
    layout.value = opened(layout.value, { name, title: null, mode }, isRoomy.value)
  }

  /** Takes a tab away whose program has ended, or is being ended. */
  function close(name: string): void {
    if (live.value.has(name) || statusOf(name) !== 'disconnected') leaving.value.add(name)
    layout.value = closed(layout.value, name)
    for (const known of [statuses.value, modes.value, orders]) known.delete(name)
    unseen.value.delete(name)
  }

  return {
    layout,
    shown,
    isRoomy,
    labels,
    live,
    count,
    status,
    statusOf,
    unseen,
    open,
    close,
    activate: (name: string): void => void (layout.value = activated(layout.value, name)),
    rename: (name: string, title: string): void => void (layout.value = renamed(layout.value, name, title)),
    split: (isSplit: boolean): void => void (layout.value = { ...layout.value, isSplit }),
    /** The tab that has this program, if one does: the active one first. */
    tabOf(mode: SelectedMode): string | null {
      const { tabs, active } = layout.value
      const having = tabs.filter(({ name, mode: begun }) => (modes.value.get(name) ?? begun) === mode)
      return (having.find(({ name }) => name === active) ?? having[0])?.name ?? null
    },
    /** What the tab was opened for. Undefined for the terminal without a name. */
    orderOf({ name, mode }: TerminalTab): TabOrder | undefined {
      return name === '' ? undefined : { name, mode, task: null, folder: null, ...orders.get(name) }
    },
    /** Whether its session waits for a client, so that the tab should connect although it is hidden. */
    isWaiting: (name: string): boolean => live.value.get(name)?.waits === true,
    setStatus(name: string, now: ConnectionStatus): void {
      statuses.value.set(name, now)
    },
    setMode(name: string, mode: SelectedMode): void {
      modes.value.set(name, mode)
    },
    printed(name: string): void {
      if (!shown.value.includes(name)) unseen.value.add(name)
    },
  }
}
