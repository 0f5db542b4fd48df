/** Tasks of the real CLIs whose model server fails, and whose agent is stopped under them. */
// In the short form `claude.test.ts` has a wrong key, a broken model and a killed container, `line.test.ts` a usage limit, and
// `backend/src/modules/providers/headless/transcripts.test.ts` the recorded streams of such failures of each CLI.
import '@slipway/testing/long'
import type { CodingSession, RunEvent } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { inTurn, longIt } from '@slipway/testing/forms'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { docker } from '../support/engine.ts'
import { ASKED_MS, endedTask, eventsOf, startTask, taskOf } from '../support/tasks/follow.ts'
import { agentWithModel, type Fault, type Runtime, type Script, sh, startModelIn } from '../support/tasks/model.ts'

const SESSIONS = '/coding-agents/sessions'
/** A file that no test makes. */
const NEVER = '/tmp/never'
/** How long the tests' usage limit lasts, in seconds. */
const LIMIT_S = 3_600
/** How much later a task may continue: the minute that a clock rounds to, and the delay of tasks of one account. */
const LATER_S = 180
/** Longest time of a test on a busy machine, in milliseconds: some have to wait for the others of their user. */
const TIMEOUT_MS = 300_000
const TEXT = ['The first half. ', 'The second half.']
const WHOLE = TEXT.join('')

interface Cli {
  readonly runtime: Runtime
  /** How its model server refuses a request that should come again in a second. */
  readonly busy: Fault
  /** How often it does so. Gemini itself waits longer each time. */
  readonly times: number
  /** How its account says that its usage limit is reached. */
  limit(resetsAt: number): Fault
  /** What it fails with after a connection that broke in the middle of an answer; null if it asks again. */
  readonly afterCut: string | null
  /** Several of it at once need more memory than an agent has. */
  readonly isLarge?: true
}

const SENTENCE = 'You have reached your usage limit. Try again in 1 hour.'
const AGAIN_SOON = { status: 429, say: 'The server is busy.', headers: { 'retry-after': '1' } }

const CLIS: readonly Cli[] = [
  {
    runtime: 'claude-code',
    busy: { ...AGAIN_SOON, error: 'rate_limit_error' },
    times: 2,
    limit: (resetsAt) => ({
      status: 400,
      error: 'invalid_request_error',
      say: `Claude AI usage limit reached|${resetsAt}`,
    }),
    afterCut: null,
  },
  {
    runtime: 'codex',
    busy: AGAIN_SOON,
    times: 2,
    limit: (resetsAt) => ({
      status: 429,
      body: { error: { type: 'usage_limit_reached', message: 'reached', plan_type: 'pro', resets_at: resetsAt } },
    }),
    afterCut: null,
  },
  {
    runtime: 'gemini-cli',
    busy: AGAIN_SOON,
    times: 1,
    limit: () => ({
      status: 429,
      body: {
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          message: 'You exceeded your current quota. Please retry in 1h0m0s.',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
              violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }],
            },
          ],
        },
      },
    }),
    afterCut: 'terminated',
  },
  {
    runtime: 'copilot',
    busy: AGAIN_SOON,
    times: 2,
    limit: () => ({ status: 429, say: SENTENCE, headers: { 'retry-after': String(LIMIT_S) } }),
    afterCut: null,
  },
  {
    runtime: 'opencode',
    busy: AGAIN_SOON,
    times: 2,
    limit: () => ({ status: 429, say: 'You have reached your usage limit. Try again in 1h0m0s.' }),
    afterCut: null,
    isLarge: true,
  },
]

const scriptFor = ({ busy, times, limit }: Cli, resetsAt: number): Script => ({
  '@busy': [{ fails: Array.from({ length: times }, () => busy), say: 'It went on.' }],
  '@cut': [{ fails: [{ cut: true }], say: TEXT }],
  '@limit': [limit(resetsAt)],
  '@silent': [{ say: 'Too late.', gate: NEVER }],
  '@quick': [{ say: 'Quick.' }],
})

const textIn = (events: readonly RunEvent[]): string =>
  events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')

/**
 * In the short form each test has one CLI, and each CLI a test: Gemini that of a cut connection, because it fails differently.
 * What Claude Code does at a usage limit is in `line.test.ts`, and its time-out and its killed container in
 * `claude.test.ts`.
 */
const itInTurn = (cli: Cli, test: number): typeof longIt => (inTurn(CLIS, test).includes(cli) ? it : longIt)

interface Made {
  readonly owner: Client
  readonly agent: string
}
/** When the usage limits of these tests end, in seconds since 1970. */
const resetsAt = Math.floor(Date.now() / 1_000) + LIMIT_S
let made: ReadonlyMap<Cli, Made>

beforeAll(async () => {
  const admin = await signInAdmin()
  const make = async (cli: Cli): Promise<[Cli, Made]> => {
    const owner = await newUser(admin)
    return [cli, { owner, agent: (await agentWithModel(owner, scriptFor(cli, resetsAt), cli.runtime)).name }]
  }
  made = new Map(await Promise.all(CLIS.map(make)))
})

describe.each(CLIS)('a task of $runtime', { timeout: TIMEOUT_MS }, (cli) => {
  let owner: Client
  let agent = ''

  beforeAll(() => {
    const mine = made.get(cli)
    if (!mine) throw new Error('the agent is not made')
    ;({ owner, agent } = mine)
  })

  /** They run side by side, as many as a user may have. */
  const start = (prompt: string, more: object = {}): Promise<CodingSession> =>
    startTask(owner, { agent, prompt, queue: true, ...more })
  const run = async (prompt: string, more: object = {}): Promise<CodingSession> =>
    endedTask(owner, (await start(prompt, more)).id)

  const together = cli.isLarge ? describe : describe.concurrent
  together('whose model server fails', () => {
    itInTurn(cli, 0)('goes on after a server that is busy, and says so', async () => {
      const task = await run('@busy')
      expect(task).toMatchObject({ state: 'completed', result: 'It went on.' })
      const events = await eventsOf(owner, task.id)
      const before = events.slice(
        0,
        events.findIndex(({ type }) => type === 'text'),
      )
      const told = before.filter((event) => event.type === 'status' && /429|rate_limit|busy/.test(event.message))
      expect(told).toHaveLength(cli.times)
    })

    itInTurn(cli, 2)('tells no text twice if the connection breaks in the middle of an answer', async () => {
      const task = await run('@cut')
      const text = textIn(await eventsOf(owner, task.id))
      if (cli.afterCut === null) {
        expect(task).toMatchObject({ state: 'completed', result: WHOLE })
        return expect(text).toBe(WHOLE)
      }
      expect(task).toMatchObject({ state: 'failed', reason: 'cli_error', result: TEXT[0] })
      expect(task.error).toContain(cli.afterCut)
      expect(text).toBe(TEXT[0])
    })

    itInTurn(cli, 1)('waits for the end of a usage limit', async () => {
      const { id } = await start('@limit')
      const waiting = await until(
        'the task to wait',
        async () => {
          const task = await taskOf(owner, id)
          if (task.completedAt !== null) throw new Error(`it has ended: ${task.error}`)
          return task.state === 'waiting' && task
        },
        ASKED_MS,
      )
      const continuesAt = Date.parse(waiting.continuesAt ?? '') / 1_000
      expect(continuesAt).toBeGreaterThanOrEqual(resetsAt)
      expect(continuesAt).toBeLessThan(Date.now() / 1_000 + LIMIT_S + LATER_S)
      await owner.ok('DELETE', `${SESSIONS}/${id}`)
      expect(await endedTask(owner, id)).toMatchObject({ state: 'terminated', reason: 'terminated' })
      expect((await eventsOf(owner, id)).filter(({ type }) => type === 'limit')).toHaveLength(1)
    })

    itInTurn(cli, 3)('fails at a usage limit if it is not to wait', async () => {
      const task = await run('@limit', { wait_for_limit: false })
      expect(task).toMatchObject({ state: 'failed', reason: 'usage_limit' })
    })

    itInTurn(cli, 4)('ends when its time is over', async () => {
      const task = await run('@silent', { timeout_seconds: 3 })
      expect(task).toMatchObject({ state: 'failed', reason: 'timed_out' })
    })
  })

  /** Does something to the agent while a task waits for its model, and expects that the next task works. */
  const during = async (act: () => Promise<unknown>): Promise<void> => {
    await sh(owner, agent, ': >model.log')
    const { id } = await start('@silent')
    const isAsked = async (): Promise<boolean> => (await sh(owner, agent, 'cat model.log')).includes(NEVER)
    await until('the model to be asked', isAsked, ASKED_MS)
    await act()
    expect(await endedTask(owner, id)).toMatchObject({ state: 'failed', reason: 'container_stopped' })
    await owner.ok('POST', `/agents/${agent}/start?wait=true`)
    await startModelIn(owner, agent, cli.runtime)
    expect(await run('@quick')).toMatchObject({ state: 'completed', result: 'Quick.' })
  }

  itInTurn(cli, 6)('ends with its container, and the next one works', () =>
    during(() => docker.getContainer(`${inject('namespace')}-agent-${agent}`).kill()),
  )

  itInTurn(cli, 7)('ends with a restart of its agent, and the next one works', () =>
    during(() => owner.ok('POST', `/agents/${agent}/restart?wait=true`)),
  )
})
