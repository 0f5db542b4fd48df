/**
 * The engine ends and starts again while terminals are open and tasks run. It ends in order, as in an upgrade, or is killed.
 * Live-restore keeps the containers running.
 */
import {
  type Agent,
  CloseCode,
  type CodingSession,
  type CodingSessionOutput,
  type CreatedTerminalLink,
  LINK_REFUSED,
  type RunEvent,
} from '@slipway/protocol'
import { type TerminalClient, until } from '@slipway/testing'
import { inLongForm } from '@slipway/testing/forms'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DockerRuntime } from '../../src/runtime/docker/runtime.ts'
import { newNamespace } from '../support/engine/engine.ts'
import { canRunEngines, SecondEngine } from '../support/engine/second-engine.ts'
import { as, newAgent, systemAgentSettled, useTeam } from '../support/people/team.ts'
import { openBash, openTerminal } from '../support/terminals/terminal.ts'

/** A page must show within this time that the engine is away, in milliseconds. */
const SHOWN_WITHIN_MS = 10_000
/** The shell becomes a program that prints a number every 10 ms, from 0 on. A new process would start at 0 again. */
const COUNTER = `exec bash -c 'for ((i = 0; ; i++)); do echo "n$i"; sleep 0.01; done'\r`

/** The numbers that a counter printed, in their order. */
const numbers = (text: string): number[] => [...text.matchAll(/^n(\d+)\r$/gm)].map(([, number]) => Number(number))
/** How a client joins a session: with its user's token, or by a link. */
type By = { readonly token: string } | { readonly link: string }

// In the short form an engine as it comes, without live-restore. `engine-away.test.ts` has containers that run on meanwhile.
const ENDS = [
  ['SIGTERM', false] as const,
  ...inLongForm([['SIGTERM', true] as const, ['SIGKILL', false] as const, ['SIGKILL', true] as const]),
]

describe.runIf(canRunEngines).each(ENDS.map(([signal, liveRestore]) => ({ signal, liveRestore })))(
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
    /** Resources of the server that a restart could leak. */
    const held = async () => {
      const { body } = await team().app.inject({ url: '/metrics' })
      const numberOf = (name: string): number =>
        body
          .split('\n')
          .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
          .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
      return { sessions: numberOf('slipway_terminal_sessions'), sockets: numberOf('slipway_websockets') }
    }

    /** Asks for the terminal's session, and for the output after the client's offset. */
    const askFor = ({ sessionId: session, offset }: TerminalClient, by: By): Promise<TerminalClient> => {
      const path = 'link' in by ? '/watch' : '/agents/one/terminal?mode=bash'
      return openTerminal(team(), path, { ...by, session, offset })
    }
    /** Reconnects like the page does: again and again, until the engine answers. */
    const backIn = (terminal: TerminalClient, by: By): Promise<TerminalClient> =>
      until('the session to be there again', async () => {
        const again = await askFor(terminal, by)
        await until('an answer', () => again.frames.length > 0)
        if (again.frames[0]?.type === 'auth_success') return again
        expect(again.frames[0]).toMatchObject({ reason: 'engine_unavailable' })
        return null
      })

    /** How the session ended. The server knows it only after it has asked the engine again. */
    const endOf = (terminal: TerminalClient, by: By) =>
      until('the end of the session', async () => {
        const late = await askFor(terminal, by)
        const [{ code }, { frames }] = [await late.closed, late]
        return late.of('error')[0]?.reason === 'engine_unavailable' ? null : { code, frames }
      })

    it('tells every terminal the reason, shows the agents as they are, takes new terminals, and keeps those whose containers ran on', async () => {
      const { owner: user, colleague } = team()
      await systemAgentSettled(team())
      expect((await owner('POST /agents?wait=true', newAgent('one', { image: engine.image }))).statusCode).toBe(201)
      await owner('POST /agents/one/shares', { email: colleague.email })
      const before = await held()
      const terminals = await Promise.all([user, colleague].map(({ token }) => openBash(team(), 'one', token)))
      terminals[1]!.type(COUNTER)
      await until('the counter', () => numbers(terminals[1]!.text).length > 10)
      const path = `/terminal-sessions/${terminals[1]!.sessionId}/links` as const
      const made = (await owner(`POST ${path}`, { access: 'view', audience: 'anyone' })).json<CreatedTerminalLink>()
      const byLink = { link: made.secret }
      const watching = await openTerminal(team(), '/watch', { ...byLink, offset: 0 })
      await until('the counter', () => numbers(watching.text).length > 10)
      await terminals[0]!.run(liveRestore ? 'sleep 3888 & true' : '(sleep 3888 &)')

      const stopping = engine.stop(signal)
      for (const terminal of [...terminals, watching]) {
        expect([CloseCode.INTERNAL, CloseCode.NOT_RUNNING]).toContain((await terminal.closed).code)
        const reason = expect.stringMatching(/^(?:engine_unavailable|container_stopped)$/) as string
        expect(terminal.frames.at(-1)).toMatchObject({ type: 'error', close: true, reason })
      }
      await stopping
      const isAway = async () => (await agent()).reason?.code === 'engine_unavailable'
      await until('the news', isAway, SHOWN_WITHIN_MS)
      expect(await held()).toEqual(before)
      if (liveRestore) {
        const early = await askFor(watching, byLink)
        expect((await early.closed).code).toBe(CloseCode.INTERNAL)
        expect(early.frames).toMatchObject([{ type: 'error', close: true, reason: 'engine_unavailable' }])
      }

      await engine.start()
      await until('the truth', async () => !(await isAway()))
      if (!liveRestore) {
        const message = 'It was stopped from outside (exit code 143).'
        expect(await agent()).toMatchObject({ state: 'stopped', reason: { code: 'exited', message } })
        await owner('POST /agents/one/start?wait=true')
        // No user gets another program in place of the old one.
        for (const [index, { token }] of [user, colleague].entries()) {
          expect(await endOf(terminals[index]!, { token })).toMatchObject({
            code: CloseCode.NOT_RUNNING,
            frames: [{ type: 'error', close: true, reason: 'container_stopped' }],
          })
        }
        const frames = [{ type: 'error', close: true, message: LINK_REFUSED }]
        expect(await endOf(watching, byLink)).toMatchObject({ code: CloseCode.FORBIDDEN, frames })
      }
      expect(await agent()).toMatchObject({ state: 'running', reason: null })
      const again = liveRestore
        ? await backIn(terminals[0]!, { token: user.token })
        : await openBash(team(), 'one', user.token)
      await again.run('true')
      if (liveRestore) {
        // The same shell, with the programs that it has started.
        expect(again.frames[0]).toMatchObject({ sessionId: terminals[0]!.sessionId, resumed: true })
        await again.run('jobs -l; kill %1; wait; disown -a')
        const others: TerminalClient[] = []
        for (const [counting, by] of [
          [terminals[1]!, { token: colleague.token }],
          [watching, byLink],
        ] as const) {
          const other = await backIn(counting, by)
          const last = numbers(counting.text).at(-1)!
          await until('the counter to go on', () => (numbers(other.text).at(-1) ?? 0) > last + 20)
          // The server sends no screen, only the output that the client missed.
          expect(other.frames.filter(({ type }) => type === 'snapshot')).toEqual([])
          const all = numbers(counting.text + other.text)
          expect(all).toEqual(all.map((_, index) => index))
          others.push(other)
        }
        for (const other of others) other.close()
        await Promise.all(others.map(({ closed }) => closed))
      }
      // The programs of the ended terminals are gone, too. The server made up for the hang-up that the engine could not
      // carry out.
      const { id } = (await runtime.find({ agentId: (await agent()).id, agentName: 'one' }))!
      const commands = async () => (await runtime.processes(id)).map(({ command }) => command)
      await until('the hang-up', async () => !(await commands()).includes('sleep 3888'))
      again.close()
      await until('nothing to be held', async () => JSON.stringify(await held()) === JSON.stringify(before))
    })

    it(`${liveRestore ? 'lets a task go on, of which nothing is lost' : 'ends a task with its container'}, and takes new ones`, async () => {
      const provider = { name: 'shell', display_name: 'Shell', binary: '/bin/sh', default_args: ['-c'] }
      expect((await owner('POST /cli-providers', provider)).statusCode).toBe(201)
      const start = async (prompt: string): Promise<CodingSession> => {
        const started = await owner('POST /coding-agents/sessions', {
          agent: 'one',
          provider: 'custom:shell',
          prompt,
        })
        expect(started.statusCode).toBe(201)
        return started.json<CodingSession>()
      }
      const task = async (id: string) => (await owner(`GET /coding-agents/sessions/${id}`)).json<CodingSession>()
      const ended = (id: string) =>
        until('its end', async () => {
          const found = await task(id)
          return found.reason !== null && found
        })
      const { id } = await start('echo 1; until [ -e /tmp/go ]; do sleep 0.05; done; echo 2; : 4711')
      await until('its first line', async () =>
        (await owner(`GET /coding-agents/sessions/${id}/output`)).json<CodingSessionOutput>().output.endsWith('1\n'),
      )

      await engine.stop(signal)
      await until('the news', async () => (await agent()).reason?.code === 'engine_unavailable')
      if (liveRestore) expect(await task(id)).toMatchObject({ state: 'running', reason: null })
      await engine.start()
      await until('the truth', async () => (await agent()).reason?.code !== 'engine_unavailable')
      if (!liveRestore) {
        expect(await ended(id)).toMatchObject({ state: 'failed', reason: 'container_stopped' })
        await owner('POST /agents/one/start?wait=true')
      }
      const container = (await runtime.find({ agentId: (await agent()).id, agentName: 'one' }))!.id
      await runtime.run(container, { argv: ['touch', '/tmp/go'], timeoutMs: 10_000, maxOutputBytes: 0 })
      if (liveRestore) expect(await ended(id)).toMatchObject({ reason: 'completed', exitCode: 0 })
      const lines = (await owner(`GET /coding-agents/sessions/${id}/events`)).body.trim().split('\n')
      const events = lines.map((line) => JSON.parse(line) as RunEvent)
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
      // In this small image a notice about the login shell comes first.
      const texts = events.flatMap((event) => (event.type === 'text' && event.seq > 1 ? [event.text] : []))
      expect(texts).toEqual(liveRestore ? ['1', '2'] : ['1'])
      expect(await ended((await start('echo again')).id)).toMatchObject({
        reason: 'completed',
        result: expect.stringMatching(/again$/) as string,
      })
      expect((await runtime.processes(container)).filter(({ command }) => command.includes('4711'))).toEqual([])
    })
  },
)
