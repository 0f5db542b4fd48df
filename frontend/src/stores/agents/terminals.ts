import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import { outranks, type Attention } from '@/terminal/programs/attention.ts'
import type { Explanation } from '@/terminal/session/ends.ts'

export type ConnectionStatus = 'connected' | 'connecting' | 'reconnecting' | 'disconnected'

/**
 * Which agents have a terminal in this page. A terminal stays open while its user visits other agents, so that its
 * marks stay up to date. This store has names and states only, never output.
 */
export const useTerminalsStore = defineStore('terminals', () => {
  const statuses = ref(new Map<string, ConnectionStatus>())
  /** Why each terminal ended, unless its user ended it. */
  const ends = ref(new Map<string, Explanation>())
  /** Why terminals want their user's attention, by agent and then by tab. */
  const wanting = ref(new Map<string, ReadonlyMap<string, Attention>>())
  /** Which agents' terminals want it, with the most urgent reason of each. */
  const attentions = computed(() => {
    const urgent = new Map<string, Attention>()
    for (const [key, ofTabs] of wanting.value)
      for (const one of ofTabs.values()) {
        const before = urgent.get(key)
        if (before === undefined || outranks(one, before)) urgent.set(key, one)
      }
    return urgent
  })
  const fullscreen = ref<string | null>(null)
  /**
   * A mode that another part of the page asks for, such as the palette's "terminal in Bash". The terminal takes it
   * once.
   */
  const requestedMode = ref<{ key: string; mode: 'cli' | 'bash' } | null>(null)

  /** A shell that another part of the page asks for, in a folder. The agent's terminals open it once, in a tab. */
  const requestedShell = ref<{ key: string; folder: string } | null>(null)

  /** A task whose conversation another part of the page continues. The agent's terminals open it once, in a tab. */
  const requestedTask = ref<{ key: string; task: string } | null>(null)

  /** Key of the agent whose terminal the palette asks to share. The terminal takes it once. */
  const requestedShare = ref<string | null>(null)
  /** The element for a terminal's controls in the open page; null if the page has none. */
  const controlsPlace = shallowRef<HTMLElement | null>(null)

  const keys = computed(() => [...statuses.value.keys()])
  const anyConnected = computed(() => [...statuses.value.values()].includes('connected'))

  return {
    keys,
    fullscreen,
    requestedMode,
    requestedShell,
    requestedTask,
    requestedShare,
    controlsPlace,
    anyConnected,
    attentions,
    attentionOf: (key: string, tab: string): Attention | null => wanting.value.get(key)?.get(tab) ?? null,
    setAttention(key: string, tab: string, attention: Attention | null): void {
      const ofTabs = new Map(wanting.value.get(key))
      if (attention === null) ofTabs.delete(tab)
      else ofTabs.set(tab, attention)
      if (ofTabs.size === 0) wanting.value.delete(key)
      else wanting.value.set(key, ofTabs)
    },
    statusOf: (key: string): ConnectionStatus => statuses.value.get(key) ?? 'disconnected',
    endOf: (key: string): Explanation | null => ends.value.get(key) ?? null,
    setEnd(key: string, why: Explanation | null): void {
      if (why === null) ends.value.delete(key)
      else ends.value.set(key, why)
    },
    /** Opens a terminal for the agent, if it has none. */
    open(key: string): void {
      if (!statuses.value.has(key)) statuses.value.set(key, 'disconnected')
    },
    setStatus(key: string, status: ConnectionStatus): void {
      if (statuses.value.has(key)) statuses.value.set(key, status)
    },
    close(key: string): void {
      statuses.value.delete(key)
      wanting.value.delete(key)
      if (fullscreen.value === key) fullscreen.value = null
    },
    clear(): void {
      statuses.value = new Map()
      ends.value = new Map()
      wanting.value = new Map()
      fullscreen.value = null
      requestedMode.value = null
      requestedShell.value = null
      requestedTask.value = null
      requestedShare.value = null
    },
  }
})
