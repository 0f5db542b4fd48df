/** Usage, cost and budgets of tasks of the real CLIs, against model servers whose answers are written down. */
import type { Budget, CodingSession, UsageItem, UsageReport } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { ASKED_MS, endedTask, refusalOf, startTask, taskOf } from '../support/tasks/follow.ts'
import { agentWithModel, type Script } from '../support/tasks/model.ts'

const SESSIONS = '/coding-agents/sessions'
/** A file that no test makes. */
const NEVER = '/tmp/never'

const bash = (command: string) => ({ tool: 'bash', input: { command, description: 'A command of the tests' } })
const CLAUDE: Script = {
  '@hello': [{ say: 'Hello.' }],
  '@work': [{ tool: 'Bash', input: { command: 'echo 1', description: 'Work' } }, { say: 'Worked.' }],
  '@silent': [{ say: 'Too late.', gate: NEVER }],
}
const CODEX: Script = { '@hello': [{ say: 'Hello.' }] }
const OPENCODE: Script = { '@work': [bash('echo 1'), bash('echo 2'), { say: 'Worked.' }] }

let admin: Client
let owner: Client

beforeAll(async () => {
  admin = await signInAdmin()
  owner = await newUser(admin)
})
/** Ends what a test left. */
afterEach(async () => {
  for (const { id } of await owner.ok<CodingSession[]>('GET', SESSIONS)) {
    await owner.ok('DELETE', `${SESSIONS}/${id}`)
    await endedTask(owner, id)
  }
})

const run = async (agent: string, prompt: string, more: object = {}): Promise<CodingSession> =>
  endedTask(owner, (await startTask(owner, { agent, prompt, ...more })).id)
const usage = (query: string): Promise<UsageReport> => owner.ok('GET', `/coding-agents/usage?${query}`)
const usageOf = async ({ id }: CodingSession): Promise<UsageItem | undefined> =>
  (await usage('group=run')).items.find(({ key }) => key === id)
const setBudget = (limitUsd: number | null): Promise<Budget> =>
  admin.ok('PUT', `/users/${owner.userId}/budget`, { limitUsd })

describe('the usage of Claude Code', () => {
  let agent = ''
  beforeAll(async () => {
    agent = (await agentWithModel(owner, CLAUDE)).name
  })

  it('is that of the run alone after a resume, although Claude tells that of the session', async () => {
    const first = await run(agent, '@hello')
    const second = await run(agent, '@hello again', { resume: first.id })
    const third = await run(agent, '@hello once more', { resume: second.id })
    expect(first.costUsd).toBeGreaterThan(0)
    expect(first.costEstimated).toBe(false)
    for (const { costUsd } of [second, third]) expect(costUsd).toBeCloseTo(first.costUsd ?? 0, 10)
    expect(await usageOf(third)).toMatchObject({ name: agent, runsWithoutCost: 0, inputTokens: 1, outputTokens: 1 })
    expect((await usage('group=model')).items).toMatchObject([
      { key: expect.stringContaining('claude'), name: 'claude-code', runs: 3, inputTokens: 3, estimatedUsd: 0 },
    ])
  })

  it('ends a run at its own budget', async () => {
    const task = await run(agent, '@work', { max_budget_usd: 0.00001 })
    expect(task).toMatchObject({ state: 'failed', reason: 'max_budget' })
    expect(task.costUsd).toBeGreaterThan(0.00001)
    expect((await usageOf(task))?.costUsd).toBe(task.costUsd)
  })

  it('refuses the next run when the budget of the user is used up, and ends a run that is active', async () => {
    const { id } = await startTask(owner, { agent, prompt: '@silent' })
    await until('its first event', async () => (await taskOf(owner, id)).lastSeq > 0, ASKED_MS)
    const { spentUsd } = await owner.ok<Budget>('GET', '/users/me/budget')
    expect(spentUsd).toBeGreaterThan(0)
    await setBudget(spentUsd)
    try {
      const task = await endedTask(owner, id)
      expect(task).toMatchObject({ state: 'failed', reason: 'budget_exhausted' })
      expect(task.error).toContain("The user's budget of $")
      const body = { agent, prompt: '@hello' }
      expect(await refusalOf(owner, 'POST', SESSIONS, body)).toEqual([409, 'BUDGET_EXHAUSTED'])
    } finally {
      await setBudget(null)
    }
    expect(await run(agent, '@hello')).toMatchObject({ state: 'completed' })
  })
})

// In the short form the recorded streams of `backend/src/modules/providers/headless/transcripts.test.ts` have its usage, and
// `backend/src/modules/runs/ledger` the estimates.
longIt('the usage of Codex has an estimated cost, and is that of the run alone after a resume', async () => {
  const { name: agent } = await agentWithModel(owner, CODEX, 'codex')
  const first = await run(agent, '@hello')
  const second = await run(agent, '@hello again', { resume: first.id })
  // 60 tokens of input, 40 of the cache and 20 of output, at the prices of GPT-5.
  for (const task of [first, second]) {
    expect(task.costUsd).toBeCloseTo((60 * 1.25 + 40 * 0.125 + 20 * 10) / 1e6, 10)
    expect(task.costEstimated).toBe(true)
    expect(await usageOf(task)).toMatchObject({ inputTokens: 60, cacheReadTokens: 40, outputTokens: 20 })
  }
  const other = await run(agent, '@hello', { model: 'a-model-of-the-tests' })
  expect(other).toMatchObject({ state: 'completed', costUsd: null, costEstimated: false })
  expect(await usageOf(other)).toMatchObject({ runsWithoutCost: 1, inputTokens: 60, costUsd: null })
  const body = { agent, prompt: '@hello', max_turns: 1 }
  expect(await refusalOf(owner, 'POST', SESSIONS, body)).toEqual([400, 'VALIDATION'])
})

// `backend/src/modules/runs/ledger/meter.test.ts`, “ends the run at its budget, and at the turn after its last one”.
longIt(
  'a run of OpenCode, which has no limits of its own, ends at its budget and at its highest number of turns, and keeps what it did',
  async () => {
    const { name: agent } = await agentWithModel(owner, OPENCODE, 'opencode')
    const poor = await run(agent, '@work', { max_budget_usd: 0.0001 })
    expect(poor).toMatchObject({ state: 'failed', reason: 'max_budget', costEstimated: false })
    expect(poor.error).toMatch(/^The run cost \$0\.\d+, and its budget was \$0\.0001\.$/)
    const short = await run(agent, '@work', { max_turns: 1 })
    expect(short).toMatchObject({ state: 'failed', reason: 'max_turns' })
    expect(short.lastSeq).toBeGreaterThan(0)
    expect((await usageOf(short))?.inputTokens).toBeGreaterThan(0)
    expect(await run(agent, '@work', { max_turns: 3 })).toMatchObject({ state: 'completed', result: 'Worked.' })
  },
)
