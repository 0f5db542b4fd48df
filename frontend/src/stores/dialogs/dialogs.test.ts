import type { Agent, Dialog, LiveSession, PlatformEvent } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { PATIENTLY } from '@/lib/testing/patiently.ts'
import { listOpenDialogs, readDialog } from '@/api/dialogs/dialogs.ts'
import { ApiError } from '@/api/transport/errors.ts'
import { useAgentsStore } from '../agents/agents.ts'
import { useAuthStore } from '../identity/auth.ts'
import { CLOSED_MAX, useDialogsStore } from './dialogs.ts'

vi.mock('@/api/dialogs/dialogs.ts', () => ({ listOpenDialogs: vi.fn(), readDialog: vi.fn() }))

const ME = 'me'
const at = (second: number): string => new Date(second * 1000).toISOString()
const dialog = (id: number, part: Partial<Dialog> = {}): Dialog =>
  ({ id: String(id), agent: 'one', userId: ME, state: 'open', openedAt: at(id), closedAt: null, ...part }) as Dialog
const closed = (id: number): Dialog => dialog(id, { state: 'answered', closedAt: at(id), closedBy: 'ann' })
const event = (type: 'dialog:opened' | 'dialog:answered', one: Dialog): PlatformEvent => ({ type, dialog: one })
const idsOf = (dialogs: readonly Dialog[]): string[] => dialogs.map(({ id }) => id)

beforeEach(() => {
  setActivePinia(createPinia())
  useAuthStore().user = { id: ME, email: 'me@example.org' } as NonNullable<ReturnType<typeof useAuthStore>['user']>
})

describe('the open questions', () => {
  it('are in the order in which they were asked, as events say that come during the request', async () => {
    const answer = Promise.withResolvers<Dialog[]>()
    vi.mocked(listOpenDialogs).mockReturnValueOnce(answer.promise)
    const dialogs = useDialogsStore()
    const loading = dialogs.load()
    dialogs.apply(event('dialog:opened', dialog(3)))
    dialogs.apply(event('dialog:answered', closed(1)))
    answer.resolve([dialog(2), dialog(1)])
    await loading
    expect(idsOf(dialogs.open)).toEqual(['2', '3'])
    expect(dialogs.find('1')?.closedBy).toBe('ann')
  })

  it('that were closed while the page had no events are read again, or dropped if the user may not see them', async () => {
    vi.mocked(listOpenDialogs)
      .mockResolvedValueOnce([dialog(1), dialog(2), dialog(3)])
      .mockResolvedValueOnce([dialog(3)])
    vi.mocked(readDialog).mockImplementation((id) =>
      id === '1' ? Promise.resolve(closed(1)) : Promise.reject(new ApiError(404, 'NOT_FOUND', 'Not found.')),
    )
    const dialogs = useDialogsStore()
    await dialogs.load()
    await dialogs.load()
    await vi.waitFor(() => expect(idsOf(dialogs.all)).toEqual(['1', '3']), PATIENTLY)
    expect(idsOf(dialogs.open)).toEqual(['3'])
  })

  it('stay when one cannot be read, and the reader is told why', async () => {
    const dialogs = useDialogsStore()
    dialogs.put(dialog(1))
    vi.mocked(readDialog).mockRejectedValueOnce(new ApiError(502, 'UNEXPECTED', 'The server is away.'))
    expect(await dialogs.refresh('1')).toBe('The server is away.')
    expect(idsOf(dialogs.open)).toEqual(['1'])
    vi.mocked(readDialog).mockRejectedValueOnce(new ApiError(404, 'NOT_FOUND', 'Not found.'))
    expect(await dialogs.refresh('1')).toBeNull()
    expect(dialogs.open).toEqual([])
  })

  it('need the user in their own tasks and agents, and not those that they only see', () => {
    const agents = useAgentsStore()
    for (const [name, relation] of [
      ['mine', 'owner'],
      ['guest', 'sharee'],
      ['other', 'admin'],
    ] as const)
      agents.put({ id: name, name, relation, stateSince: at(0) } as Agent)
    const dialogs = useDialogsStore()
    const all = [
      dialog(1, { agent: 'mine', userId: 'ann' }),
      dialog(2, { agent: 'guest', userId: 'ann' }),
      dialog(3, { agent: 'guest' }),
      dialog(4, { agent: 'other', userId: 'ann' }),
    ]
    for (const one of all) dialogs.put(one)
    expect(idsOf(dialogs.needed)).toEqual(['1', '3'])
    expect(all.map((one) => dialogs.mayAnswer(one))).toEqual([true, false, true, true])
  })

  it('are bounded once they are closed, and go with their agent', () => {
    const dialogs = useDialogsStore()
    for (let id = 1; id <= CLOSED_MAX + 1; id++) dialogs.put(closed(id))
    expect(dialogs.all).toHaveLength(CLOSED_MAX)
    expect(dialogs.find('1')).toBeNull()
    dialogs.put(dialog(100))
    dialogs.apply({ type: 'agent_removed', agentId: 'x', name: 'one' })
    expect(dialogs.all).toEqual([])
  })
})

it('a terminal of the user whose program waits counts, and one of another user does not', () => {
  const agents = useAgentsStore()
  agents.put({ id: 'a', name: 'one', relation: 'owner', stateSince: at(0) } as Agent)
  const session = (userId: string, needs: 'permission' | null) =>
    ({ sessionId: `${userId} ${needs}`, userId, needs }) as LiveSession
  const tell = (...sessions: LiveSession[]) => agents.apply({ type: 'sessions', agentId: 'a', sessions })
  tell(session('other', 'permission'), session(ME, null))
  expect(useDialogsStore().count).toBe(0)
  tell(session(ME, 'permission'))
  expect(useDialogsStore().count).toBe(1)
  expect(agents.needing).toMatchObject([{ agent: { name: 'one' }, needs: 'permission' }])
})
