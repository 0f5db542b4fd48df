/** How tasks end whose CLI does what no CLI should. The CLI is the tests' own. */
import type { AgentProcess, CodingSession } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { inLongForm, longIt } from '@slipway/testing/forms'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { endedTask, eventsOf, startTask, taskOf } from '../../support/tasks/follow.ts'
import { agentWithStub, leftIn, stubProvider } from '../../support/tasks/stub.ts'

let owner: Client
let agent = ''
let provider = ''

beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = await agentWithStub(owner)
  provider = `custom:${(await stubProvider(owner)).name}`
})
/** Whatever a CLI does, nothing of it stays. */
afterEach(async () => {
  await expect.poll(() => leftIn(owner, agent)).toEqual([])
})

const start = (prompt: string, more: object = {}): Promise<CodingSession> =>
  startTask(owner, { agent, provider, prompt, ...more })
const run = async (prompt: string, more: object = {}): Promise<CodingSession> =>
  endedTask(owner, (await start(prompt, more)).id)

const DONE = { state: 'completed', reason: 'completed', exitCode: 0, result: 'Well done.' }

describe('a CLI that ends', () => {
  it.each<[what: string, prompt: string, end: object]>([
    ['well', 'go', DONE],
    ['with a line of 2 MB', '@long-line', DONE],
    // `server.test.ts` has it with the memory that it takes.
    ...inLongForm<[string, string, object]>([['with a line that is too long to be read', '@longer-line', DONE]]),
    ['with lines that are no JSON', '@broken', DONE],
    ['with two results, of which the last counts', '@twice', { ...DONE, result: 'Second.' }],
    ['with its cumulative cost twice, which is not added up', '@cost', { ...DONE, result: 'All.', costUsd: 0.75 }],
    ['without having done anything', '@nothing', { state: 'failed', reason: 'finished_without_work', exitCode: 0 }],
    ['with a failure after its result', '@fail', { state: 'failed', reason: 'exit_code', exitCode: 3 }],
    ['while a child in another process group goes on', '@group', DONE],
  ])('%s', async (_what, prompt, end) => {
    expect(await run(prompt)).toMatchObject(end)
  })

  it('is told in events that have no gap, also around a line of 2 MB', async () => {
    const task = await run('@long-line')
    const events = await eventsOf(owner, task.id)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(events.map(({ type }) => type)).toEqual(['status', 'text', 'result'])
  })
})

describe('a process that left the session of its CLI', () => {
  it('stays after the task, is listed with it, and can be ended', async () => {
    const { id } = await run('@setsid')
    const { items } = await owner.ok<{ items: AgentProcess[] }>('GET', `/agents/${agent}/processes`)
    expect(items).toMatchObject([{ command: 'sleep 4712', origin: { sessionId: id, mode: 'task' } }])
    await owner.ok('DELETE', `/agents/${agent}/processes/${items[0]?.pid}`)
  })
})

// Built-in providers have the cases of the long form also in the short one, in `../stub/built-in.test.ts`.
describe('a CLI that does not end', () => {
  it.each<[what: string, prompt: string]>([
    ['has started itself again', '@again'],
    ...inLongForm<[string, string]>([
      ['has a child in another process group', '@group @wait'],
      ['is silent after a tool', '@silent-after-tool'],
      ['ignores every polite signal', '@deaf'],
      ['prints a line without an end', '@endless-line'],
    ]),
  ])('and %s is ended when its time is over', async (_what, prompt) => {
    expect(await run(prompt, { timeout_seconds: 3 })).toMatchObject({ state: 'failed', reason: 'timed_out' })
  })

  longIt('after its result is ended, and has completed', async () => {
    const task = await run('@no-exit')
    expect(task).toMatchObject({ state: 'completed', reason: 'finished_without_exit', result: 'I am done.' })
  })

  it.each(['@deaf', ...inLongForm(['@again', '@group @wait'])])(
    'is ended by its user with all that it started: %s',
    async (prompt) => {
      const { id } = await start(prompt)
      await until('its first words', async () => (await taskOf(owner, id)).lastSeq > 1)
      await owner.ok('DELETE', `/coding-agents/sessions/${id}`)
      expect(await endedTask(owner, id)).toMatchObject({ state: 'terminated', reason: 'terminated' })
    },
  )
})
