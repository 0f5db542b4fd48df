import type { CommandPaletteGroup, CommandPaletteItem } from '@nuxt/ui'
import { computed, type ComputedRef } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { SYSTEM_KEY } from '@/api/agents/agents.ts'
import { canStart, isStateKnown, shapeOf, stateWord } from '@/lib/agents/agentState.ts'
import { keyOf, pageOf, useAgentsStore } from '@/stores/agents/agents.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useDialogsStore } from '@/stores/dialogs/dialogs.ts'
import { usePreferencesStore } from '@/stores/identity/preferences.ts'
import { useProvidersStore } from '@/stores/tasks/providers.ts'
import { useShellStore } from '@/stores/shell/shell.ts'
import { useTerminalsStore } from '@/stores/agents/terminals.ts'
import { useAgentActions } from '../agents/useAgentActions.ts'
import { useSignOut } from './useSignOut.ts'
import { useTheme } from './useTheme.ts'

/** The palette's entries: the agents, the actions on the open one, and all other pages and actions. */
export function usePaletteGroups(): ComputedRef<CommandPaletteGroup[]> {
  const agents = useAgentsStore()
  const auth = useAuthStore()
  const dialogs = useDialogsStore()
  const preferences = usePreferencesStore()
  const providers = useProvidersStore()
  const shell = useShellStore()
  const terminals = useTerminalsStore()
  const actions = useAgentActions()
  const signOut = useSignOut()
  const { choice } = useTheme()
  const router = useRouter()
  const route = useRoute()

  const current = computed(() => {
    if (route.meta.agent === undefined) return null
    return agents.find(route.meta.agent === 'system' ? SYSTEM_KEY : String(route.params['name']))
  })

  const go = (path: string) => () => void router.push(path)

  const here = computed((): CommandPaletteItem[] => {
    const agent = current.value
    if (agent === null) return []
    const key = keyOf(agent)
    const open = async (mode: 'cli' | 'bash'): Promise<void> => {
      await router.push(pageOf(key))
      terminals.requestedMode = { key, mode }
    }
    const share = async (): Promise<void> => {
      await router.push(pageOf(key))
      terminals.requestedShare = key
    }
    return [
      canStart(agent)
        ? { label: `Start ${agent.name}`, icon: 'i-lucide-play', onSelect: () => void actions.start(agent) }
        : {
            label: `Stop ${agent.name}`,
            icon: 'i-lucide-circle-stop',
            disabled: !isStateKnown(agent),
            onSelect: () => void actions.stop(agent),
          },
      { label: `Restart ${agent.name}`, icon: 'i-lucide-rotate-cw', onSelect: () => void actions.restart(agent) },
      { label: 'Terminal in Bash', icon: 'i-lucide-square-terminal', onSelect: () => void open('bash') },
      {
        label: `Terminal in ${providers.runtimeLabel(agent.runtime)}`,
        icon: 'i-lucide-square-terminal',
        onSelect: () => void open('cli'),
      },
      ...(terminals.statusOf(key) === 'connected'
        ? [{ label: 'Invite to this terminal', icon: 'i-lucide-share-2', onSelect: () => void share() }]
        : []),
      { label: 'Overview', icon: 'i-lucide-gauge', onSelect: go(`${pageOf(key)}/overview`) },
      { label: 'Recordings', icon: 'i-lucide-clapperboard', onSelect: go(`${pageOf(key)}/recordings`) },
      { label: 'Worktrees', icon: 'i-lucide-git-branch', onSelect: go(`${pageOf(key)}/worktrees`) },
    ]
  })

  return computed(() => [
    {
      id: 'agents',
      label: 'Agents',
      items: agents.all.map((agent) => ({
        label: agent.name,
        suffix: `${stateWord(agent)} · ${providers.runtimeLabel(agent.runtime)}`,
        slot: 'agent' as const,
        shape: shapeOf(agent.state),
        onSelect: go(pageOf(keyOf(agent))),
      })),
    },
    { id: 'here', label: current.value?.name ?? '', items: here.value },
    {
      id: 'slipway',
      label: 'Slipway',
      items: [
        {
          label: dialogs.count > 0 ? `What agents ask you (${dialogs.count})` : 'What agents ask you',
          icon: 'i-lucide-message-circle-question-mark',
          kbds: ['a'],
          onSelect: () => (shell.dialogs = true),
        },
        { label: 'New agent', icon: 'i-lucide-plus', kbds: ['n'], onSelect: () => (shell.createAgent = true) },
        {
          label: 'New task',
          icon: 'i-lucide-list-plus',
          onSelect: () =>
            (shell.newTask = current.value === null || current.value.isSystem ? {} : { agent: current.value.name }),
        },
        {
          label: 'New conversation',
          icon: 'i-lucide-message-square-plus',
          onSelect: () => (shell.newConversation = true),
        },
        { label: 'Dashboard', icon: 'i-lucide-layout-dashboard', kbds: ['g', 'd'], onSelect: go('/') },
        { label: 'All agents', icon: 'i-lucide-layers', kbds: ['g', 'a'], onSelect: go('/agents') },
        {
          label: 'Conversations',
          icon: 'i-lucide-messages-square',
          kbds: ['g', 'c'],
          onSelect: go('/conversations'),
        },
        { label: 'Tasks', icon: 'i-lucide-list-checks', kbds: ['g', 't'], onSelect: go('/coding-agents') },
        ...(auth.isAdmin
          ? [
              { label: 'Users', icon: 'i-lucide-users-round', kbds: ['g', 'u'], onSelect: go('/users') },
              { label: 'Audit log', icon: 'i-lucide-scroll-text', kbds: ['g', 'l'], onSelect: go('/audit') },
              { label: 'Shared credentials', icon: 'i-lucide-key-round', onSelect: go('/platform') },
            ]
          : []),
        { label: 'Schedules of tasks', icon: 'i-lucide-calendar-clock', onSelect: go('/coding-agents/schedules') },
        { label: 'Webhooks of tasks', icon: 'i-lucide-webhook', onSelect: go('/coding-agents/webhooks') },
        { label: 'Usage and cost of tasks', icon: 'i-lucide-chart-column', onSelect: go('/coding-agents/usage') },
        { label: 'Account and API tokens', icon: 'i-lucide-user-round', kbds: ['g', 'm'], onSelect: go('/account') },
        {
          label: 'Coding agent settings',
          icon: 'i-lucide-sliders-horizontal',
          onSelect: go('/settings/coding-agents'),
        },
        {
          label: 'Terminal settings',
          icon: 'i-lucide-settings-2',
          onSelect: () => (shell.terminalSettings = true),
        },
        {
          label: `Turn screen reader support ${preferences.terminal.screenReader ? 'off' : 'on'}`,
          icon: 'i-lucide-audio-lines',
          onSelect: () => void preferences.change({ screenReader: !preferences.terminal.screenReader }),
        },
        { label: 'Theme: dark', icon: 'i-lucide-moon', onSelect: () => (choice.value = 'dark') },
        { label: 'Theme: light', icon: 'i-lucide-sun', onSelect: () => (choice.value = 'light') },
        { label: 'Theme: system', icon: 'i-lucide-monitor', onSelect: () => (choice.value = 'auto') },
        {
          label: 'Help and keyboard shortcuts',
          icon: 'i-lucide-circle-help',
          kbds: ['?'],
          onSelect: () => (shell.help = true),
        },
        {
          label: 'API reference',
          icon: 'i-lucide-book-open',
          onSelect: () => void window.open('/docs', '_blank', 'noopener'),
        },
        { label: 'Sign out', icon: 'i-lucide-log-out', onSelect: () => void signOut() },
      ],
    },
  ])
}
