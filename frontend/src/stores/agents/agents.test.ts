import type { Agent } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { listAgents, readAgent } from '@/api/agents/agents.ts'
import { useAgentsStore } from './agents.ts'

vi.mock('@/api/agents/agents.ts', () => ({ SYSTEM_KEY: 'system', listAgents: vi.fn(), readAgent: vi.fn() }))

const agent = (name: string, state = 'running', stateSince = '2026-01-01T00:00:00Z'): Agent =>
  ({ id: `id of ${name}`, name, state, isSystem: false, stateSince }) as Agent
const removed = (name: string) => ({ type: 'agent_removed', agentId: `id of ${name}`, name }) as const

beforeEach(() => setActivePinia(createPinia()))

describe('the agents that are read', () => {
  it('are as the events say that came while the answer was on its way', async () => {
    const answer = Promise.withResolvers<Agent[]>()
    vi.mocked(listAgents).mockReturnValueOnce(answer.promise)
    const agents = useAgentsStore()
    const loaded = agents.load()
    agents.apply({ type: 'agent', agent: agent('new') })
    agents.apply({ type: 'agent', agent: agent('gone') })
    agents.apply(removed('gone'))
    agents.apply({ type: 'agent', agent: agent('kept', 'stopped') })
    answer.resolve([agent('gone'), agent('kept'), agent('other')])
    await loaded
    expect(agents.all.map(({ name, state }) => [name, state])).toEqual([
      ['kept', 'stopped'],
      ['new', 'running'],
      ['other', 'running'],
    ])
  })

  it('are those of the newest answer, in any order of arrival, and none after the user signed out', async () => {
    const [old, next, late] = [1, 2, 3].map(() => Promise.withResolvers<Agent[]>())
    for (const { promise } of [old!, next!, late!]) vi.mocked(listAgents).mockReturnValueOnce(promise)
    const agents = useAgentsStore()
    const [first, second] = [agents.load(), agents.load()]
    next!.resolve([agent('next')])
    await second
    old!.resolve([agent('old')])
    await first
    expect(agents.all.map(({ name }) => name)).toEqual(['next'])
    const third = agents.load()
    agents.clear()
    late!.resolve([agent('late')])
    await third
    expect([agents.all, agents.loaded]).toEqual([[], false])
  })

  it('are taken over also when a later reading has failed', async () => {
    const answer = Promise.withResolvers<Agent[]>()
    vi.mocked(listAgents).mockReturnValueOnce(answer.promise).mockRejectedValueOnce(new Error('away'))
    const agents = useAgentsStore()
    const slow = agents.load()
    await agents.load()
    expect(agents.error).not.toBeNull()
    answer.resolve([agent('there')])
    await slow
    expect([agents.all.map(({ name }) => name), agents.error, agents.loaded]).toEqual([['there'], null, true])
  })
})

describe('an agent', () => {
  it('is as the last event says, also after the clock of the server was set back', () => {
    const agents = useAgentsStore()
    agents.apply({ type: 'agent', agent: agent('one', 'running', '2099-01-01T00:00:00Z') })
    agents.apply({ type: 'agent', agent: agent('one', 'stopped', '2026-01-01T00:00:00Z') })
    expect(agents.find('one')).toMatchObject({ state: 'stopped', stateSince: '2026-01-01T00:00:00Z' })
  })

  it('is not as a response says that is older than an event', async () => {
    const answer = Promise.withResolvers<Agent>()
    vi.mocked(readAgent).mockReturnValueOnce(answer.promise)
    const agents = useAgentsStore()
    const loaded = agents.loadOne('one')
    agents.apply({ type: 'agent', agent: agent('one', 'stopped', '2026-01-02T00:00:00Z') })
    answer.resolve(agent('one'))
    await loaded
    expect(agents.find('one')).toMatchObject({ state: 'stopped' })
  })
})
