import type { Agent } from '@slipway/protocol'
import { TerminalClient, until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { EngineProxy } from '@slipway/testing/engine-proxy'
import { IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import { addressOf } from '../../../../test/support/server/listener.ts'
import { as, newAgent, systemAgentSettled, useTeam } from '../../../../test/support/people/team.ts'
import { DockerRuntime } from '../../../runtime/docker/runtime.ts'

/** Shorter than in production, so that the test does not wait for half a minute. */
const HEARTBEAT = { everyMs: 500, timeoutMs: 8_000 }
/** Longest time until each request to a hanging engine ends: the heartbeat, and slack for a busy machine. */
const ENDED_WITHIN_MS = HEARTBEAT.everyMs + HEARTBEAT.timeoutMs + 3_000
/** A request that needs no engine is far faster than the heartbeat, even on a busy machine. */
const LIST_MS = HEARTBEAT.timeoutMs

const { docker, namespace } = useEngine()
const proxy = new EngineProxy()
const runtime = new DockerRuntime(namespace, { socketPath: proxy.path }, { heartbeat: HEARTBEAT })
afterAll(async () => {
  await runtime.close()
  await proxy.remove()
})
beforeAll(() => proxy.open())
const team = useTeam({ runtime, config: { namespace, images: [IMAGE] } })
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
const agent = async (name: string) => (await owner(`GET /agents/${name}`)).json<Agent>()
const shown = (name: string, isIt: (agent: Agent) => boolean) =>
  until('the new state', async () => {
    const found = await agent(name)
    return isIt(found) ? found : null
  })

/** Answers with the result of `work`, and fails if it takes longer than `limitMs`. */
const timed = async <T>(limitMs: number, work: () => Promise<T>): Promise<T> => {
  const from = performance.now()
  const result = await work()
  expect(performance.now() - from).toBeLessThan(limitMs)
  return result
}
/** Resolves when the terminal is open or refused. */
const openTerminal = async (name: string): Promise<TerminalClient> => {
  const target = { baseUrl: `http://${await addressOf(team())}`, path: `/agents/${name}/terminal?mode=bash` }
  const terminal = await TerminalClient.say(target, { type: 'auth', token: team().owner.token })
  await terminal.answered()
  return terminal
}

afterEach(async () => {
  proxy.thaw()
  await until('the engine', () => runtime.available)
})

describe('the engine hangs: one that takes connections and answers nothing', () => {
  it('lets every operation that is under way end in a visible state, and the list stay fast', async () => {
    await systemAgentSettled(team())
    for (const name of ['runs', 'restarts', 'goes', 'asked']) await owner('POST /agents?wait=true', newAgent(name))
    await owner('POST /agents?wait=true', newAgent('starts'))
    await owner('POST /agents/starts/stop?wait=true')
    for (const name of ['runs', 'restarts', 'goes', 'asked']) await shown(name, ({ state }) => state === 'running')
    proxy.freeze()
    const answers = Promise.all([
      owner('POST /agents?wait=true', newAgent('new')),
      owner('POST /agents/starts/start?wait=true'),
      owner('POST /agents/runs/stop?wait=true'),
      owner('POST /agents/restarts/restart?wait=true'),
      owner('DELETE /agents/goes'),
      owner('GET /agents/asked/stats'),
      owner('GET /agents/asked/logs'),
      owner('GET /agents/asked/processes'),
    ])
    // The request is recorded first, so the engine gets it later.
    await shown('runs', ({ state }) => state === 'stopping')
    const list = await timed(LIST_MS, () => owner('GET /agents'))
    expect(list.json<{ items: Agent[] }>().items.map(({ state }) => state)).toContain('stopping')
    const [created, started, stopped, restarted, ...others] = await timed(ENDED_WITHIN_MS, () => answers)
    for (const answer of [created, started, stopped, restarted])
      expect(answer.json()).toMatchObject({ state: 'failed', reason: { code: 'engine_unavailable' } })
    for (const answer of others) expect(answer.json()).toMatchObject({ code: 'ENGINE_UNAVAILABLE', statusCode: 503 })

    // From now on no request waits for the engine.
    const again = await timed(LIST_MS, () => owner('POST /agents/starts/start?wait=true'))
    expect(again.json()).toMatchObject({ state: 'failed', reason: { code: 'engine_unavailable' } })
    const all = await timed(LIST_MS, () => owner('GET /agents'))
    for (const { state, reason } of all.json<{ items: Agent[] }>().items)
      expect({ state, code: reason?.code }).toEqual({ state: 'failed', code: 'engine_unavailable' })
    expect((await owner('GET /health/ready')).statusCode).toBe(503)
    const refused = await timed(LIST_MS, () => openTerminal('asked'))
    expect((await refused.closed).code).toBe(1011)
  })

  // `engine-away.test.ts` has the truth when an engine is back, and repeats what failed.
  longIt(
    'shows every agent as it is when the engine answers again, and every failed operation can be retried',
    async () => {
      for (const name of ['asked', 'restarts']) await shown(name, ({ state }) => state !== 'failed')
      // The engine may have completed requests from before it hung, or not. Either result is shown, and no state is
      // permanent.
      for (const name of ['new', 'starts', 'runs', 'restarts', 'goes']) {
        const found = await shown(name, ({ state }) => ['running', 'stopped', 'failed'].includes(state))
        if (found.state === 'failed') expect(found.reason?.code).not.toBe('engine_error')
        const started = await owner(`POST /agents/${name}/start?wait=true`)
        expect(started.json()).toMatchObject({ state: 'running', reason: null })
      }
      expect((await owner('DELETE /agents/goes')).statusCode).toBe(204)
      const { Volumes } = await docker.listVolumes()
      expect(Volumes.map(({ Name }) => Name)).not.toContain(`${namespace}-agent-goes-home`)
    },
  )

  // The first test refuses a terminal, and `held/holder.test.ts` keeps one.
  longIt('keeps an open terminal, refuses a new one, and leaves no process of a closed one', async () => {
    const kept = await openTerminal('asked')
    await kept.until('the prompt', () => kept.text.includes('$ '))
    const left = await openTerminal('restarts')
    left.type('sleep 4711\r')
    await until('the program', async () => (await commands('restarts')).includes('sleep 4711'))
    proxy.freeze()
    const opening = openTerminal('runs')
    left.close()
    const { closed } = await timed(ENDED_WITHIN_MS, () => opening)
    expect((await timed(ENDED_WITHIN_MS, () => closed)).code).toBe(1011)
    await shown('asked', ({ reason }) => reason?.code === 'engine_unavailable')

    proxy.thaw()
    await shown('asked', ({ state }) => state === 'running')
    kept.type('echo still $((40 + 2))\r')
    await kept.until('its output', () => kept.text.includes('still 42'))
    kept.close()
    await until('the end of the program', async () => !(await commands('restarts')).includes('sleep 4711'))
  })
})

/** The command lines in an agent as the engine reports them. */
async function commands(name: string): Promise<string[]> {
  const { Processes } = (await docker.getContainer(`${namespace}-agent-${name}`).top({ ps_args: '-eo pid,args' })) as {
    Processes: string[][]
  }
  return Processes.map((row) => row.slice(1).join(' '))
}
