import type { Agent, CodingSession } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../lib/errors.ts'
import { aCaller } from '../../../test/support/people/callers.ts'
import { TaskTools, type ToolDeps } from './tools.ts'

const caller = aCaller()
const waiter = { left: new AbortController().signal }
const session = { id: 'one', state: 'running', provider: 'codex', agent: 'atlas' } as CodingSession
const tools = (deps: object): TaskTools => new TaskTools(deps as ToolDeps)

describe('run_coding_task', () => {
  it('names a task that was started, also if its end cannot be waited for', async () => {
    const ended = () => Promise.reject(new AppError('TOO_MANY_REQUESTS', 'Too many.'))
    const { text, isError } = await tools({ runs: { create: async () => session }, waits: { ended } }).run(
      caller,
      { prompt: 'hi' },
      waiter,
    )
    expect([isError, text]).toEqual([false, expect.stringMatching(/^Task one is running/) as string])
  })

  it('does not wait at a usage limit', async () => {
    const bodies: unknown[] = []
    const create = async (_caller: unknown, body: unknown) => {
      bodies.push(body)
      return session
    }
    const waits = { ended: () => Promise.reject(new Error('not waited for')) }
    await tools({ runs: { create }, waits }).run(caller, { prompt: 'hi', queue: true }, waiter)
    expect(bodies).toEqual([{ prompt: 'hi', queue: true, wait_for_limit: false }])
  })

  it('starts nothing for a token without the scope', async () => {
    const program = aCaller({ via: { kind: 'api_token', tokenId: 't', scopes: ['tasks:read'] } })
    const create = () => Promise.reject(new Error('started'))
    await expect(tools({ runs: { create } }).run(program, { prompt: 'hi' }, waiter)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
  })
})

describe('list_coding_agents', () => {
  const agent = (name: string, state: string): Agent =>
    ({ name, state, runtime: 'codex', model: null, relation: 'owner' }) as Agent
  const list = (agents: readonly Agent[]) => {
    const looked: string[] = []
    const all = async (_caller: unknown, name: string) => {
      looked.push(name)
      return []
    }
    const deps = { agents: { list: async () => ({ items: agents, nextCursor: null }) }, status: { all } }
    return { looked, answer: tools(deps).agents(caller, {}) }
  }

  it('looks for the CLIs of the only agent that runs', async () => {
    const { looked, answer } = list([agent('atlas', 'stopped'), agent('borealis', 'running')])
    expect((await answer).text).toContain('Coding CLIs of borealis:')
    expect(looked).toEqual(['borealis'])
  })

  it('lists several agents without a look into each', async () => {
    const { looked, answer } = list([agent('atlas', 'running'), agent('borealis', 'running')])
    expect((await answer).text.split('\n')).toEqual([
      'Agents:',
      'atlas: running, its own CLI is codex',
      'borealis: running, its own CLI is codex',
    ])
    expect(looked).toEqual([])
  })
})

describe('list_task_results', () => {
  it('has active tasks first, and no more than asked for', async () => {
    const active = { ...session, completedAt: null, createdAt: '2026-01-01T00:00:00.000Z', prompt: 'hi' }
    const ended = { ...session, id: 'two', completedAt: '2026-01-01T00:00:00.000Z' }
    const result = {
      id: 'two',
      success: true,
      durationMs: 1,
      prompt: 'hi',
      output: 'done',
      error: null,
      ...{ provider: 'codex', agent: 'atlas' },
    }
    const runs = {
      list: async () => [ended, active],
      results: async () => ({ items: [result, { ...result, id: 'three' }] }),
    }
    const { text } = await tools({ runs }).results(caller, { limit: 2 })
    expect(text.split('\n').map((line) => line.split(':')[0])).toEqual(['one', 'two'])
  })
})
