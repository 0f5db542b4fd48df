import type { Agent, Dialog } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { expect, it } from 'vitest'
import { doingText } from '@/lib/agents/agentList.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useDialogsStore } from '@/stores/dialogs/dialogs.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useListed } from './useAgentFacts.ts'

const agent = { id: 'a', name: 'atlas', state: 'running', relation: 'sharee', runtime: 'bash', tasksAtWork: 0 } as Agent
const dialog = { id: 'd', agent: 'atlas', userId: 'colleague', state: 'open', openedAt: '', closedAt: null } as Dialog

it('an agent in which the task of a colleague asks waits for an answer until there is one', () => {
  setActivePinia(createPinia())
  useAuthStore().user = { id: 'me' } as never
  useAgentsStore().apply({ type: 'agent', agent })
  const dialogs = useDialogsStore()
  const listed = useListed()
  expect(doingText(listed(agent))).toBe('Idle')
  dialogs.apply({ type: 'dialog:opened', dialog })
  expect(doingText(listed(agent))).toBe('Waits for an answer')
  dialogs.apply({ type: 'dialog:opened', dialog: { ...dialog, id: 'e', userId: 'me' } })
  expect(doingText(listed(agent))).toBe('Waits for you')
  for (const id of ['d', 'e'])
    dialogs.apply({ type: 'dialog:answered', dialog: { ...dialog, id, state: 'answered', closedAt: 'now' } })
  expect(doingText(listed(agent))).toBe('Idle')
})
