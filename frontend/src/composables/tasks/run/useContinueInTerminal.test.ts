import type { Agent, Conversation, LiveSession } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, test, vi } from 'vitest'
import { offerTerminal } from '@/api/tasks/tasks.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useTerminalsStore } from '@/stores/agents/terminals.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useContinueInTerminal } from './useContinueInTerminal.ts'

const { add, push } = vi.hoisted(() => ({ add: vi.fn(), push: vi.fn() }))
vi.mock('@nuxt/ui/composables', () => ({ useToast: () => ({ add }) }))
vi.mock('vue-router', () => ({ useRouter: () => ({ push }) }))
vi.mock('@/api/tasks/tasks.ts', () => ({ offerTerminal: vi.fn() }))

const TASK = { id: 't', cliSessionId: 'c' }
const PAGE = '/agents/harbour?task=t'

const session = (sessionId: string, tab?: string, userId = 'ann'): LiveSession => ({
  ...{ sessionId, userId, email: `${userId}@example.org`, mode: 'bash', waits: false, needs: null },
  ...{ works: false, signedIn: null, continues: null, recorded: 'nothing' as const },
  ...(tab !== undefined && { tab }),
})

/** The user continues the task; `has` is the session of the terminal that has its conversation already. */
async function open(has: string | null, sessions: LiveSession[], { shows = false, most = 3 } = {}) {
  const [agents, terminals] = [useAgentsStore(), useTerminalsStore()]
  const agent = { id: 'a', name: 'harbour', isSystem: false, relation: 'owner', terminalsPerUser: most }
  agents.put({ ...agent, stateSince: '2026-01-01T00:00:00Z' } as Agent)
  agents.apply({ type: 'sessions', agentId: 'a', sessions })
  terminals.open('harbour')
  if (shows) terminals.setStatus('harbour', 'connected')
  const of = { mode: 'claude', cwd: '/home/developer', cliSessionId: 'c', socket: '' }
  vi.mocked(offerTerminal).mockResolvedValue({ ...of, agent: 'harbour', page: PAGE, sessionId: has })
  await useContinueInTerminal().open(TASK)
  return { page: push.mock.calls[0]?.[0] as unknown, requested: terminals.requestedTask }
}

beforeEach(() => {
  setActivePinia(createPinia())
  const user = { id: 'ann', email: 'ann@example.org', role: 'user' as const, disabledAt: null }
  useAuthStore().user = { ...user, invited: false, createdAt: '2026-01-01T00:00:00Z' }
  for (const mock of [add, push]) mock.mockClear()
})

test.each([true, false])('leads to the tab that has the conversation, whichever page opened it (%j)', async (shows) => {
  const sessions = [session('1'), session('2', 'far'), session('3', undefined, 'ben')]
  expect(await open('2', sessions, { shows })).toEqual({ page: `${PAGE}&tab=far`, requested: null })
})

test('begins in the terminal without a name where the user has none, whatever tabs the page remembers', async () => {
  const theirs = [session('3', undefined, 'ben')]
  expect(await open(null, theirs)).toEqual({ page: `${PAGE}&tab=`, requested: null })
})

test('begins there, too, if only the other tabs of the user are open, on another page', async () => {
  expect(await open(null, [session('2', 'far')])).toEqual({ page: `${PAGE}&tab=`, requested: null })
})

test.each([true, false])(
  'begins in a tab of its own beside the user’s terminals, shown here or not (%j)',
  async (shows) => {
    const requested = { key: 'harbour', task: 't' }
    expect(await open(null, [session('1')], { shows })).toEqual({ page: '/agents/harbour', requested })
    expect(add).not.toHaveBeenCalled()
  },
)

test('lets the page decide about a terminal that no event has told of yet', async () => {
  expect(await open('new', [session('1')])).toEqual({ page: PAGE, requested: null })
})

test('says what is in the way where the user may have no other terminal', async () => {
  expect(await open(null, [session('1', 'far')], { most: 1 })).toEqual({ page: undefined, requested: null })
  expect(add).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ description: 'You have another terminal in harbour. Disconnect it first.' }),
  )
})

test.each([
  ['own', 'ann', 't', '/agents/harbour?task=t'],
  ['another user’s', 'ben', 't', '/agents/harbour'],
  ['one whose task is not known', 'ann', null, '/agents/harbour'],
])('shows the terminal that continues a conversation: %s', async (_whose, userId, resumeRunId, path) => {
  vi.mocked(offerTerminal).mockResolvedValue({
    ...{ agent: 'harbour', page: PAGE, sessionId: '2' },
    ...{ mode: 'claude', cwd: '/home/developer', cliSessionId: 'c', socket: '' },
  })
  await useContinueInTerminal().show({ agent: 'harbour', userId, resumeRunId, cliSessionId: 'c' } as Conversation)
  expect(push.mock.calls).toEqual([[path]])
})
