import type { Agent, Dialog, Preparation } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { actOnAgent } from '@/api/agents/agents.ts'
import { readPreparation } from '@/api/agents/preparations.ts'
import { unreachable } from '@/api/transport/errors.ts'
import { asked } from '@/composables/useConfirm.ts'
import { PATIENTLY } from '@/lib/testing/patiently.ts'
import { usePreparationsStore } from '@/stores/agents/preparations.ts'
import { useDialogsStore } from '@/stores/dialogs/dialogs.ts'
import { useAgentActions } from './useAgentActions.ts'

vi.mock('@nuxt/ui/composables', () => ({ useToast: () => ({ add: vi.fn() }) }))
vi.mock('@/api/agents/agents.ts', async (original) => ({ ...(await original<object>()), actOnAgent: vi.fn() }))
vi.mock('@/api/agents/preparations.ts')

const agent = { id: 'a', name: 'atlas', state: 'running', stateSince: '', tasksAtWork: 0 } as Agent
const dialogOf = (id: string, sessionId: string | null) =>
  ({ id, agent: 'atlas', sessionId, state: 'open', openedAt: id }) as Dialog

beforeEach(() => {
  setActivePinia(createPinia())
  vi.mocked(actOnAgent).mockReset().mockResolvedValue(agent)
  vi.mocked(readPreparation).mockReset().mockRejectedValue(unreachable(null))
})
afterEach(() => void vi.useRealTimers())

/** The text of the question, which is answered with no. */
async function refused(acts: Promise<void>) {
  await vi.waitFor(() => expect(asked.value).not.toBeNull(), PATIENTLY)
  const question = asked.value
  question?.answer(false)
  await acts
  expect(actOnAgent).not.toHaveBeenCalled()
  return question
}

it.each([
  [1, 'This ends a task at work.'],
  [3, 'This ends 3 tasks at work.'],
])('a stop or restart that ends tasks at work asks first, with %i', async (tasksAtWork, body) => {
  const actions = useAgentActions()
  for (const act of [actions.stop, actions.restart])
    expect(await refused(act({ ...agent, tasksAtWork }))).toMatchObject({ body, danger: true })
})

it('a stop that ends tasks which wait for an answer asks first, and counts each once', async () => {
  for (const [id, task] of ['s', 's', 't', null].entries()) useDialogsStore().put(dialogOf(`${id}`, task))
  const question = await refused(useAgentActions().stop(agent))
  expect(question?.body).toBe('This ends 2 tasks that wait for an answer.')
})

it.each([
  ['cloning', 'This ends the clone of its repository.'],
  ['setting_up', 'This ends its set-up.'],
] as const)('a stop that ends a preparation asks first: %s', async (state, body) => {
  usePreparationsStore().put(agent.id, { state, changedAt: 'now' } as Preparation)
  expect((await refused(useAgentActions().stop(agent)))?.body).toBe(body)
})

it('a stop asks first if it ends a clone of which no event has told this page', async () => {
  vi.mocked(readPreparation).mockResolvedValue({ preparation: { state: 'cloning', changedAt: 'now' } as Preparation })
  expect((await refused(useAgentActions().stop(agent)))?.body).toBe('This ends the clone of its repository.')
  expect(readPreparation).toHaveBeenCalledWith('atlas')
})

it('a stop goes on if the server does not tell in two seconds what the agent begins with, and is sent once', async () => {
  vi.useFakeTimers()
  vi.mocked(readPreparation).mockReturnValue(new Promise(() => undefined))
  const { stop, restart } = useAgentActions()
  const first = stop(agent)
  await Promise.all([stop(agent), useAgentActions().stop(agent), restart(agent)])
  expect(actOnAgent).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(2_000)
  await first
  expect([vi.mocked(actOnAgent).mock.calls, vi.getTimerCount()]).toEqual([[['atlas', 'stop']], 0])
})

it('a start and an act on the system agent ask for no preparation', async () => {
  await useAgentActions().start(agent)
  await useAgentActions().restart({ ...agent, id: 's', isSystem: true })
  expect([vi.mocked(actOnAgent).mock.calls.length, vi.mocked(readPreparation).mock.calls]).toEqual([2, []])
})

it('a stop of an agent in which nothing is at work asks nothing', async () => {
  usePreparationsStore().put(agent.id, { state: 'ready', changedAt: 'now' } as Preparation)
  useDialogsStore().put(dialogOf('1', null))
  await useAgentActions().stop(agent)
  expect([asked.value, vi.mocked(actOnAgent).mock.calls]).toEqual([null, [['atlas', 'stop']]])
})
