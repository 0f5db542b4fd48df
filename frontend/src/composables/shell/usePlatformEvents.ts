import { useEventListener } from '@vueuse/core'
import { onScopeDispose, watch } from 'vue'
import { followEvents, type EventStream } from '@/api/transport/events.ts'
import { accessToken } from '@/api/identity/auth.ts'
import { eventsUrl } from '@/api/sessions/sockets.ts'
import { useLookedAt } from '@/composables/dialogs/useLookedAt.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useConversationsStore } from '@/stores/tasks/conversations.ts'
import { useDialogsStore } from '@/stores/dialogs/dialogs.ts'
import { usePreparationsStore } from '@/stores/agents/preparations.ts'
import { useShownStore } from '@/stores/agents/shown.ts'
import { useTasksStore } from '@/stores/tasks/tasks.ts'
import { useAgentNotices } from './useAgentNotices.ts'

/** Keeps the agents, the tasks, the conversations and the questions to people up to date: applies events, and reloads all after each gap. */
export function usePlatformEvents(): void {
  const auth = useAuthStore()
  const agents = useAgentsStore()
  const tasks = useTasksStore()
  const conversations = useConversationsStore()
  const dialogs = useDialogsStore()
  const shown = useShownStore()
  const preparations = usePreparationsStore()
  const showNotice = useAgentNotices()
  let stream: EventStream | null = null
  const lookedAt = useLookedAt((message) => stream?.send(message) ?? false)
  // Drops what an earlier user saw.
  agents.clear()
  tasks.clear()
  conversations.clear()
  dialogs.clear()
  shown.clear()
  preparations.clear()

  watch(
    () => auth.status,
    (status) => {
      stream?.close()
      stream = null
      if (status !== 'signed-in') return
      let wasLost = false
      stream = followEvents({
        url: eventsUrl(),
        token: accessToken,
        onEvent: (event) => {
          if (event.type === 'error') auth.reason = event.message
          else {
            agents.apply(event)
            tasks.apply(event)
            conversations.apply(event)
            dialogs.apply(event)
            shown.apply(event)
            preparations.apply(event)
            if (event.type === 'agent:notice') showNotice(event)
          }
        },
        onOnline: (online) => {
          agents.online = online
          lookedAt.forget()
          if (online) auth.reason = null
          else agents.clearSessions()
          const hasMissed = online && wasLost
          wasLost = !online
          // Loads after the event stream is connected, so that no change is missed between. If the first connection
          // fails, loads as well.
          if (hasMissed && tasks.loaded) void tasks.load()
          if (hasMissed && conversations.loaded) void conversations.load()
          if (online || !dialogs.loaded) void dialogs.load()
          if (hasMissed) void auth.refresh().then(() => agents.load())
          else if (online || !agents.loaded) void agents.load()
        },
      })
    },
    { immediate: true },
  )
  useEventListener(window, 'offline', () => stream?.networkLost())
  useEventListener(window, 'online', () => stream?.networkBack())
  useEventListener(document, 'visibilitychange', () => document.visibilityState === 'visible' && stream?.retryNow())
  onScopeDispose(() => stream?.close())
}
