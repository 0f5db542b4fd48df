/**
 * The engine ends and is started again while terminals are open: in order, as in an upgrade, or killed. Live-restore leaves
 * the containers running.
 */
import { type Agent, CloseCode } from '@slipway/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DockerRuntime } from '../../src/runtime/docker/runtime.ts'
import { newNamespace } from '../support/engine.ts'
import { canRunEngines, SecondEngine } from '../support/second-engine.ts'
import { as, newAgent, systemAgentSettled, useTeam } from '../support/team.ts'
import { Terminal } from '../support/terminal.ts'
import { until } from '../support/until.ts'

/** Within this a page shows that the engine is away, in milliseconds. */
const SHOWN_WITHIN_MS = 2000

describe.runIf(canRunEngines).each([
  { liveRestore: false, signal: 'SIGTERM' },
  { liveRestore: true, signal: 'SIGTERM' },
  { liveRestore: false, signal: 'SIGKILL' },
  { liveRestore: true, signal: 'SIGKILL' },
] as const)(
  'dockerd restart: an engine that ends by $signal and is started again, with live-restore $liveRestore,',
  ({ liveRestore, signal }) => {
    const engine = new SecondEngine({ liveRestore })
    const runtime = new DockerRuntime(newNamespace(), { socketPath: engine.socketPath }, { holderImage: engine.image })
    beforeAll(async () => {
      await engine.start()
      await engine.loadImage()
    })
    const team = useTeam({ runtime, config: { images: [engine.image] } })
    afterAll(async () => {
      await runtime.close()
      await engine.remove()
    })
    const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
    const agent = async (): Promise<Agent> => (await owner('GET /agents/one')).json<Agent>()
    /** What the server holds that a restart could leave behind. */
    const held = async () => {
      const { body } = await team().app.inject({ url: '/metrics' })
      const numberOf = (name: string): number =>
        body
          .split('\n')
          .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
          .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
      return { sessions: numberOf('slipway_terminal_sessions'), sockets: numberOf('slipway_websockets') }
    }

    /** As the page does: again and again, until the engine has answered for it. */
    const backIn = (terminal: Terminal, token: string): Promise<Terminal> =>
      until('the session to be there again', async () => {
        const first = { token, session: terminal.sessionId }
        const again = await Terminal.open(team(), '/agents/one/terminal?mode=bash', first)
        await until('an answer', () => again.frames.length > 0)
        if (again.frames[0]?.type === 'auth_success') return again
        expect(again.frames[0]).toMatchObject({ reason: 'engine_unavailable' })
        return null
      })

    it('tells every terminal the reason, shows the agents as they are, takes new terminals, and keeps those whose containers ran on', async () => {
      const { owner: user, colleague } = team()
      await systemAgentSettled(team())
      expect((await owner('POST /agents?wait=true', newAgent('one', { image: engine.image }))).statusCode).toBe(201)
      await owner('POST /agents/one/shares', { email: colleague.email })
      const before = await held()
      const terminals = await Promise.all([user, colleague].map(({ token }) => Terminal.bash(team(), 'one', token)))
      await terminals[0]!.run(liveRestore ? 'sleep 3888 & true' : '(sleep 3888 &)')

      const stopping = engine.stop(signal)
      for (const terminal of terminals) {
        expect([CloseCode.INTERNAL, CloseCode.NOT_RUNNING]).toContain(await terminal.closed)
        const reason = expect.stringMatching(/^(?:engine_unavailable|container_stopped)$/) as string
        expect(terminal.frames.at(-1)).toMatchObject({ type: 'error', close: true, reason })
      }
      await stopping
      const isAway = async () => (await agent()).reason?.code === 'engine_unavailable'
      await until('the news', isAway, SHOWN_WITHIN_MS)
      expect(await held()).toEqual(before)

      await engine.start()
      await until('the truth', async () => !(await isAway()))
      if (!liveRestore) {
        const message = 'It was stopped from outside (exit code 143).'
        expect(await agent()).toMatchObject({ state: 'stopped', reason: { code: 'exited', message } })
        await owner('POST /agents/one/start?wait=true')
      }
      expect(await agent()).toMatchObject({ state: 'running', reason: null })
      const again = liveRestore
        ? await backIn(terminals[0]!, user.token)
        : await Terminal.bash(team(), 'one', user.token)
      await again.run('true')
      if (liveRestore) {
        // The same shell, with what it has started.
        expect(again.frames[0]).toMatchObject({ sessionId: terminals[0]!.sessionId, resumed: true })
        await again.run('jobs -l; kill %1; wait; disown -a')
        const other = await backIn(terminals[1]!, colleague.token)
        other.close()
        await other.closed
      }
      // What the ended terminals ran is gone, too: the hang-up that the engine could not carry out was made up for.
      const { id } = (await runtime.find({ agentId: (await agent()).id, agentName: 'one' }))!
      const commands = async () => (await runtime.processes(id)).map(({ command }) => command)
      await until('the hang-up', async () => !(await commands()).includes('sleep 3888'))
      again.close()
      await until('nothing to be held', async () => JSON.stringify(await held()) === JSON.stringify(before))
    })
  },
)
