/** The tools for other AIs, called by the protocol's own client. Tasks run the real Claude Code, or a shell in its place. */
import { TOOL_ANSWER_MAX, type CodingSession } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { inTurn, longIt } from '@slipway/testing/forms'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { endedTask, taskOf } from '../../support/tasks/follow.ts'
import { agentWithModel, sh } from '../../support/tasks/model.ts'
import { quicken, shellProvider } from '../../support/tasks/stub.ts'
import { callTool, connectTools, GENERATIONS, taskIn, type ToolAnswer } from '../../support/tasks/tools.ts'

const SESSIONS = '/coding-agents/sessions'
const GATE = '/tmp/go-on'
/** A script of a shell. */
const WAIT = `until [ -e ${GATE} ]; do sleep 0.1; done; echo It took a while.`
const SCRIPT = {
  '@write': [
    { tool: 'Write', input: { file_path: '/home/developer/made.txt', content: 'made\n' } },
    { say: 'The file is there.' },
  ],
  '@broken': [{ status: 400, error: 'invalid_request_error', say: 'this model is broken' }],
  '@slow': [{ say: 'It took a while.', gate: GATE }],
}

let owner: Client
let stranger: Client
let agent = ''
/** The provider whose CLI is a shell. */
let provider = ''
/** The owner, with a token for tasks. */
let program: Client

beforeAll(async () => {
  const admin = await signInAdmin()
  owner = await newUser(admin)
  stranger = await newUser(admin)
  agent = (await agentWithModel(owner, SCRIPT)).name
  await quicken(owner, agent)
  provider = await shellProvider(owner)
  program = owner.with((await owner.apiToken('tasks:read', 'tasks:write')).token)
})
afterEach(async () => {
  for (const { id } of await owner.ok<CodingSession[]>('GET', SESSIONS)) {
    await owner.ok('DELETE', `${SESSIONS}/${id}`)
    await endedTask(owner, id)
  }
  await sh(owner, agent, `rm -f ${GATE}`)
})
afterAll(() => owner.ok('DELETE', `/agents/${agent}`))

/** Connects for one piece of work. */
const withTools = async <T>(
  client: Client,
  work: (tools: Awaited<ReturnType<typeof connectTools>>) => Promise<T>,
  generation: keyof typeof GENERATIONS = '2026-07-28',
): Promise<T> => {
  const tools = await connectTools(client, generation)
  try {
    return await work(tools)
  } finally {
    await tools.close()
  }
}
/** Runs a task to its end. A call is answered after 50 seconds, and a busy machine may take longer for a real CLI. */
const runToEnd = async (
  tools: Awaited<ReturnType<typeof connectTools>>,
  args: Record<string, unknown>,
  onprogress?: Parameters<typeof callTool>[3],
): Promise<ToolAnswer> => {
  let answer = await callTool(tools, 'run_coding_task', args, onprogress)
  while (/^Task \S+ is running/.test(answer.text))
    answer = await callTool(tools, 'get_task_result', { result_id: taskIn(answer) })
  return answer
}
const runningTask = async (): Promise<string> =>
  until('a task', async () => {
    const tasks = await owner.ok<CodingSession[]>('GET', SESSIONS)
    return tasks.find(({ state }) => state === 'running')?.id ?? false
  })

const ALL = Object.keys(GENERATIONS) as (keyof typeof GENERATIONS)[]

// In the short form the other tests speak the newest revision, and these in turn another one.
describe.each(inTurn(ALL, 0))('a client of the revision %s', (generation) => {
  it('finds the tools, runs a task, gets its result, and lists it', () =>
    withTools(
      program,
      async (tools) => {
        expect(tools.getServerVersion()).toMatchObject({ name: 'slipway' })
        const { tools: offered } = await tools.listTools()
        expect(offered.map(({ name }) => name)).toEqual([
          'run_coding_task',
          'list_coding_agents',
          'get_task_result',
          'list_task_results',
        ])
        expect(Object.keys(offered[0]?.inputSchema.properties ?? {})).toEqual(
          expect.arrayContaining([
            'provider',
            'prompt',
            'cwd',
            'model',
            'max_budget_usd',
            'max_turns',
            'timeout_seconds',
          ]),
        )

        const agents = await callTool(tools, 'list_coding_agents')
        expect(agents.text).toContain(`${agent}: running`)
        // A program that did not say its version in time is asked again.
        await expect
          .poll(async () => (await callTool(tools, 'list_coding_agents')).text)
          .toMatch(/claude-code \(Claude Code\): installed \(\d/)

        const ran = await runToEnd(tools, { agent, provider: 'claude-code', prompt: '@write' })
        expect(ran).toEqual({ text: expect.stringContaining('The file is there.') as string, isError: false })
        expect(await sh(owner, agent, 'cat made.txt')).toBe('made\n')
        const id = taskIn(ran)
        expect(await callTool(tools, 'get_task_result', { result_id: id })).toEqual(ran)
        const { text } = await callTool(tools, 'list_task_results', { limit: 1 })
        expect(text).toMatch(new RegExp(`^${id}: completed .*@write \\| The file is there\\.$`))
      },
      generation,
    ))

  it('is told of the progress if it asks for that', () =>
    withTools(
      program,
      async (tools) => {
        const told: number[] = []
        const running = runToEnd(tools, { agent, prompt: '@slow' }, ({ progress }) => {
          told.push(progress)
        })
        await until('two messages', () => told.length >= 2)
        await sh(owner, agent, `touch ${GATE}`)
        expect(await running).toMatchObject({
          isError: false,
          text: expect.stringContaining('It took a while.') as string,
        })
        expect(told).toEqual([...new Set(told)].toSorted((one, other) => one - other))
      },
      generation,
    ))
})

describe('a task that takes longer than a call may', () => {
  // It waits for them. The next test asks for the result of a task that still runs.
  longIt('is answered with its id after 50 seconds, and its result is waited for', () =>
    withTools(program, async (tools) => {
      const began = performance.now()
      const answer = await callTool(tools, 'run_coding_task', { agent, prompt: '@slow' })
      expect(performance.now() - began).toBeGreaterThan(49_000)
      expect(answer).toMatchObject({ isError: false, text: expect.stringContaining('is running') as string })
      const id = taskIn(answer)
      const waiting = callTool(tools, 'get_task_result', { result_id: id })
      await sh(owner, agent, `touch ${GATE}`)
      expect((await waiting).text).toContain('It took a while.')
    }),
  )

  it('goes on when the connection is cut, and is found in the list', async () => {
    const cut = new AbortController()
    const lost = fetch(`${program.baseUrl}/api/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${program.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'run_coding_task', arguments: { agent, provider, prompt: WAIT } },
      }),
      signal: cut.signal,
    }).then((response) => response.text())
    const id = await runningTask()
    cut.abort()
    await expect(lost).rejects.toThrow()
    await withTools(program, async (tools) => {
      expect((await callTool(tools, 'list_task_results')).text).toContain(`${id}: is running`)
      expect(await taskOf(owner, id)).toMatchObject({ state: 'running' })
      await sh(owner, agent, `touch ${GATE}`)
      expect((await callTool(tools, 'get_task_result', { result_id: id })).text).toContain('It took a while.')
    })
  })
})

describe('a tool', () => {
  it('answers with at most 8,000 characters', () =>
    withTools(program, async (tools) => {
      const { text } = await callTool(tools, 'run_coding_task', { agent, provider, prompt: 'seq 10000' })
      expect(text).toHaveLength(TOOL_ANSWER_MAX)
      expect(text).toContain(`GET /api/coding-agents/results/${taskIn({ text, isError: false })}`)
    }))

  it('says why a task did not complete', () =>
    withTools(program, async (tools) => {
      const { text, isError } = await runToEnd(tools, { agent, prompt: '@broken' })
      expect([isError, text]).toEqual([true, expect.stringContaining('this model is broken') as string])
    }))

  it('says in a sentence what is wrong with a call', () =>
    withTools(program, async (tools) => {
      const refused = async (args: Record<string, unknown>, name = 'run_coding_task') => {
        const { text, isError } = await callTool(tools, name, args)
        expect(isError, text).toBe(true)
        return text
      }
      expect(await refused({ agent, prompt: '@write', colour: 'red' })).toContain('unknown field colour')
      expect(await refused({ agent })).toContain('missing prompt')
      expect(await refused({ agent, prompt: '@write', timeout_seconds: 1801 })).toContain('arguments.timeout_seconds')
      expect(await refused({ agent, prompt: '@write', provider: 'bash' })).toBe('body.provider: bash cannot run tasks')
      expect(await refused({ result_id: 'none' }, 'get_task_result')).toBe('There is no such thing here.')
      expect(await refused({ limit: 51 }, 'list_task_results')).toContain('arguments.limit')
    }))

  it('knows nothing of the agents and tasks of other users', () =>
    withTools(program, async (tools) => {
      const id = taskIn(await callTool(tools, 'run_coding_task', { agent, provider, prompt: 'echo Done.' }))
      await withTools(stranger, async (theirs) => {
        const nothing = { text: 'There is no such thing here.', isError: true }
        expect(await callTool(theirs, 'run_coding_task', { agent, prompt: '@write' })).toEqual(nothing)
        expect(await callTool(theirs, 'list_coding_agents', { agent })).toEqual(nothing)
        expect(await callTool(theirs, 'get_task_result', { result_id: id })).toEqual(nothing)
        expect(await callTool(theirs, 'list_task_results')).toEqual({ text: 'You have no tasks.', isError: false })
        expect((await callTool(theirs, 'list_coding_agents')).text).toBe('You have no agents.')
      })
    }))

  it('needs the scope of its token, and the right kind of token', async () => {
    const reader = owner.with((await owner.apiToken('tasks:read')).token)
    await withTools(reader, async (tools) => {
      const { text, isError } = await callTool(tools, 'run_coding_task', { agent, prompt: '@write' })
      expect([isError, text]).toEqual([true, expect.stringContaining('lacks the scope tasks:write') as string])
    })
    const other = owner.with((await owner.apiToken('agents:read')).token)
    expect((await other.call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(403)
    await expect(connectTools(owner.with('slp_none'))).rejects.toThrow()
  })

  it('takes one message at a time, from no foreign page', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    expect((await program.call('POST', '/mcp', [message])).status).toBe(400)
    const foreign = await fetch(`${program.baseUrl}/api/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${program.token}`,
        'content-type': 'application/json',
        origin: 'https://evil.example.org',
      },
      body: JSON.stringify(message),
    })
    expect(foreign.status).toBe(403)
  })
})
