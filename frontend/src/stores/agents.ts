import type { Agent, LiveSession, PlatformEvent } from '@slipway/protocol'
import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import * as api from '@/api/agents.ts'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import { useAuthStore } from './auth.ts'

/** How the agent is addressed here: its name, or the system agent's stand-in. */
export const keyOf = (agent: Agent): string => (agent.isSystem ? api.SYSTEM_KEY : agent.name)

/** Where the agent's page is. */
export const pageOf = (key: string): string => (key === api.SYSTEM_KEY ? '/system-agent' : `/agents/${key}`)

const byName = (a: Agent, b: Agent): number => a.name.localeCompare(b.name)

/** The agents this user may see, as the server last told. */
export const useAgentsStore = defineStore('agents', () => {
  const auth = useAuthStore()
  const byKey = ref(new Map<string, Agent>())
  /** Those that were taken away under a page that shows them. */
  const gone = ref(new Map<string, Agent>())
  const sessions = ref(new Map<string, LiveSession[]>())
  const loaded = ref(false)
  /** Of each time that all are being read what events say meanwhile of each agent: the answer may not know it yet. */
  const readings = new Set<Map<string, PlatformEvent>>()
  /** How often all were read, and which of these is shown. */
  let begun = 0
  let shown = 0
  const error = ref<string | null>(null)
  /** Whether changes come by themselves; without it what is shown may be old. */
  const online = ref(true)

  const all = computed(() => [...byKey.value.values()].sort(byName))
  const system = computed(() => byKey.value.get(api.SYSTEM_KEY) ?? null)
  const own = computed(() => all.value.filter((agent) => !agent.isSystem))
  const groups = computed(() =>
    [
      { id: 'mine', label: 'Mine', agents: own.value.filter((agent) => agent.relation === 'owner') },
      { id: 'shared', label: 'Shared with me', agents: own.value.filter((agent) => agent.relation === 'sharee') },
      { id: 'others', label: 'Others', agents: own.value.filter((agent) => agent.relation === 'admin') },
      { id: 'system', label: 'System', agents: system.value === null ? [] : [system.value] },
    ].filter((group) => group.agents.length > 0),
  )

  /** Takes over what the server said; an answer that an event has overtaken on the way does not turn time back. */
  function put(agent: Agent): void {
    const known = byKey.value.get(keyOf(agent))
    if (known?.id === agent.id && Date.parse(known.stateSince) > Date.parse(agent.stateSince)) return
    byKey.value.set(keyOf(agent), agent)
  }

  /** Reads all of it again; what is shown meanwhile stays. */
  async function load(): Promise<void> {
    const meanwhile = new Map<string, PlatformEvent>()
    const mine = (begun += 1)
    readings.add(meanwhile)
    try {
      const [agents, systemAgent] = await Promise.all([
        api.listAgents(),
        auth.isAdmin ? api.readAgent(api.SYSTEM_KEY).catch(() => null) : null,
      ])
      // One that was asked for later was answered sooner.
      if (mine < shown) return
      shown = mine
      const next = new Map(agents.map((agent) => [keyOf(agent), agent]))
      if (systemAgent !== null) next.set(api.SYSTEM_KEY, systemAgent)
      byKey.value = next
      for (const event of [...meanwhile.values()]) apply(event)
      error.value = null
      loaded.value = true
    } catch (cause) {
      if (mine > shown) error.value = messageOf(cause)
    } finally {
      readings.delete(meanwhile)
    }
  }

  /** Reads one agent, which may be none of those listed; false where there is none, or none to see. */
  async function loadOne(key: string): Promise<boolean> {
    try {
      put(await api.readAgent(key))
      return true
    } catch (cause) {
      if (cause instanceof ApiError && (cause.statusCode === 404 || cause.statusCode === 403)) {
        byKey.value.delete(key)
        return false
      }
      throw cause
    }
  }

  function apply(event: PlatformEvent): void {
    if (event.type === 'agent') {
      for (const meanwhile of readings) meanwhile.set(event.agent.id, event)
      put(event.agent)
    } else if (event.type === 'agent_removed') {
      for (const meanwhile of readings) meanwhile.set(event.agentId, event)
      const agent = byKey.value.get(event.name)
      if (agent?.id === event.agentId) {
        gone.value.set(event.name, agent)
        byKey.value.delete(event.name)
      }
      sessions.value.delete(event.agentId)
    } else if (event.type === 'sessions') {
      sessions.value.set(event.agentId, event.sessions)
    }
  }

  const sessionsOf = (agent: Agent): LiveSession[] => sessions.value.get(agent.id) ?? []

  async function act(key: string, action: api.AgentAction): Promise<void> {
    put(await api.actOnAgent(key, action))
  }

  async function remove(key: string): Promise<void> {
    await api.deleteAgent(key)
    const agent = byKey.value.get(key)
    // The event says when it is gone; until then it is on its way.
    if (agent !== undefined) put({ ...agent, state: 'deleting' })
  }

  /** Forgets who is where: after a gap the server tells anew. */
  function clearSessions(): void {
    sessions.value = new Map()
  }

  function clear(): void {
    // What was asked for is somebody else's.
    shown = begun += 1
    byKey.value = new Map()
    gone.value = new Map()
    sessions.value = new Map()
    loaded.value = false
    error.value = null
  }

  return {
    all,
    own,
    system,
    groups,
    loaded,
    error,
    online,
    find: (key: string): Agent | null => byKey.value.get(key) ?? null,
    findGone: (key: string): Agent | null => gone.value.get(key) ?? null,
    sessionsOf,
    load,
    loadOne,
    put,
    apply,
    act,
    remove,
    clearSessions,
    clear,
  }
})
