import type { Agent, LiveSession, PlatformEvent } from '@slipway/protocol'
import { defineStore } from 'pinia'
import { computed, markRaw, ref } from 'vue'
import * as api from '@/api/agents/agents.ts'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import { useAuthStore } from '../identity/auth.ts'

/** An agent's key on this page: its name, or a constant for the system agent. */
export const keyOf = (agent: Agent): string => (agent.isSystem ? api.SYSTEM_KEY : agent.name)

/** Path of the agent's page. */
export const pageOf = (key: string): string => (key === api.SYSTEM_KEY ? '/system-agent' : `/agents/${key}`)

const byName = (a: Agent, b: Agent): number => a.name.localeCompare(b.name)

/** The agents that this user may see, as of the server's last message. */
export const useAgentsStore = defineStore('agents', () => {
  const auth = useAuthStore()
  const byKey = ref(new Map<string, Agent>())
  /** Agents that were removed while a page may still show them. */
  const gone = ref(new Map<string, Agent>())
  const sessions = ref(new Map<string, LiveSession[]>())
  const loaded = ref(false)
  /**
   * One map for each request of all agents under way. It holds the newest event of each agent, because the response may
   * be older than the events.
   */
  const readings = new Set<Map<string, PlatformEvent>>()
  /** Number of the newest request of all agents, and of the one whose response is shown. */
  let begun = 0
  let shown = 0
  const error = ref<string | null>(null)
  /** Whether the event stream is connected. Without it the agents may be out of date. */
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

  /** Stores an agent from a response of the server. If an event was newer than this response, the event stays. */
  function put(agent: Agent): void {
    const known = byKey.value.get(keyOf(agent))
    if (known?.id === agent.id && Date.parse(known.stateSince) > Date.parse(agent.stateSince)) return
    keep(agent)
  }

  function keep(agent: Agent): void {
    // Not reactive inside: an agent is replaced, never changed, and thousands of proxies would be slow.
    byKey.value.set(keyOf(agent), markRaw(agent))
  }

  /** Reloads all agents. The old ones stay visible meanwhile. */
  async function load(): Promise<void> {
    const meanwhile = new Map<string, PlatformEvent>()
    const mine = (begun += 1)
    readings.add(meanwhile)
    try {
      const [agents, systemAgent] = await Promise.all([
        api.listAgents(),
        auth.isAdmin ? api.readAgent(api.SYSTEM_KEY).catch(() => null) : null,
      ])
      // A later request got its response first.
      if (mine < shown) return
      shown = mine
      const next = new Map(agents.map((agent) => [keyOf(agent), markRaw(agent)]))
      if (systemAgent !== null) next.set(api.SYSTEM_KEY, markRaw(systemAgent))
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

  /** Loads one agent, even one outside the list. Returns false if it does not exist or the user may not see it. */
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
      // Events come in their order, also if the server's clock was set back meanwhile.
      keep(event.agent)
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
  /** The terminals of this user whose program waits for them, also without a page that shows them. */
  const needing = computed(() =>
    all.value.flatMap((agent) =>
      sessionsOf(agent).flatMap(({ sessionId, userId, tab = '', needs }) =>
        needs !== null && userId === auth.user?.id ? [{ agent, sessionId, tab, needs }] : [],
      ),
    ),
  )

  async function act(key: string, action: api.AgentAction): Promise<void> {
    put(await api.actOnAgent(key, action))
  }

  async function remove(key: string): Promise<void> {
    await api.deleteAgent(key)
    const agent = byKey.value.get(key)
    // The agent stays, as deleting, until the event of its removal.
    if (agent !== undefined) put({ ...agent, state: 'deleting' })
  }

  /** Drops all sessions. After a reconnect the server sends them again. */
  function clearSessions(): void {
    sessions.value = new Map()
  }

  function clear(): void {
    // Responses still under way belong to the earlier user.
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
    /** The sessions in progress by the id of their agent, for who looks at thousands of agents. */
    sessionsById: computed<ReadonlyMap<string, readonly LiveSession[]>>(() => sessions.value),
    needing,
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
