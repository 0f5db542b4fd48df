import type { Preparation } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { silentLog } from '../../lib/log.ts'
import type { AgentNews } from '../agents/news/topic.ts'
import type { Found } from '../agents/service.ts'
import type { Via } from '../identity/caller.ts'
import { Preparer, type PreparerDeps } from './preparer.ts'
import type { PreparationRow } from './repository.ts'
import { PreparationService, type PreparationServiceDeps } from './service.ts'

const PROMPT = 'Mend the harbour light.'
const SIGN_IN = { kind: 'sign_in', signInId: '00000000-0000-4000-8000-000000000001' } as Via
const tokenWith = (...scopes: string[]) => ({ kind: 'api_token', tokenId: SIGN_IN, scopes }) as unknown as Via

const row = {
  ...{ agentId: 'atlas', state: 'ready', userId: 'ada', url: null, setupCommand: null, offer: null, confirmed: null },
  ...{ taskPrompt: PROMPT, taskProvider: 'codex', taskId: 'task', taskError: 'There is no program.' },
  ...{ error: null, output: '', changedAt: new Date() },
} as unknown as PreparationRow

const view = async (userId: string, via: Via = SIGN_IN, stored = row): Promise<Preparation['task'] | undefined> => {
  const found = { row: { id: 'atlas' }, relation: 'owner', caller: { userId, role: 'admin', via } } as unknown as Found
  const deps = { repository: { find: () => Promise.resolve(stored) } } as unknown as PreparationServiceDeps
  return (await new PreparationService(deps).view(found)).preparation?.task
}

describe('the prompt of a first task', () => {
  it('is there for its user when the task could not start, and when the clone has failed', async () => {
    const task = { userId: 'ada', prompt: PROMPT, provider: 'codex', sessionId: null, error: 'There is no program.' }
    expect(await view('ada')).toEqual(task)
    expect(await view('ada', SIGN_IN, { ...row, state: 'failed', taskError: null })).toEqual({ ...task, error: null })
  })

  it('is for no other user, not even an admin', async () => {
    expect(await view('eve')).toMatchObject({ userId: 'ada', prompt: null })
    expect(await view('eve', SIGN_IN, { ...row, userId: null })).toMatchObject({ userId: null, prompt: null })
  })

  it('is for tokens of its user that may read tasks', async () => {
    expect(await view('ada', tokenWith('agents:read'))).toMatchObject({ prompt: null })
    expect(await view('ada', tokenWith('agents:read', 'tasks:read'))).toMatchObject({ prompt: PROMPT })
  })

  it('is in no event, which goes to all users of the agent', () => {
    const told: AgentNews[] = []
    const news = { emit: (event: AgentNews) => void told.push(event) }
    new Preparer({ news, log: silentLog } as unknown as PreparerDeps).tell(row)
    expect(told).toMatchObject([{ event: { type: 'agent:preparation', preparation: { task: { prompt: null } } } }])
  })
})
