/** If the audit log refuses a row, the program does not run. The engine's own events prove it. */
import type { Readable } from 'node:stream'
import { CloseCode } from '@slipway/protocol'
import { engineTime, until } from '@slipway/testing'
import type Docker from 'dockerode'
import { beforeAll, expect, it } from 'vitest'
import { whileAuditIsRefused } from '../support/audit.ts'
import { IMAGE, useEngine } from '../support/engine/engine.ts'
import { as, newAgent, systemAgentSettled, useTeam } from '../support/people/team.ts'
import { openTerminal } from '../support/terminals/terminal.ts'

const AGENT = 'refused'
const engine = useEngine()
const team = useTeam({ runtime: engine.runtime, config: { images: [IMAGE] } })
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
let container: Docker.Container

beforeAll(async () => {
  await systemAgentSettled(team())
  await owner('POST /agents?wait=true', newAgent(AGENT))
  container = engine.docker.getContainer(`${engine.namespace}-agent-${AGENT}`)
})

/** The actions of the engine's events about the agent's container while `work` runs. */
const eventsDuring = async (work: () => Promise<unknown>): Promise<string[]> => {
  const { Id: id } = await container.inspect()
  const stream = (await engine.docker.getEvents({ filters: { container: [id] }, since: engineTime() })) as Readable
  let text = ''
  stream.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
  const actions = (): string[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { Action: string }).Action)
  await work()
  // The event of this exec comes after all earlier events.
  const probe = await container.exec({ Cmd: ['true', 'the-last-one'] })
  await probe.start({})
  await until('the last event', () => actions().some((action) => action.includes('the-last-one')))
  stream.destroy()
  return actions().filter((action) => action.startsWith('exec_create') && !action.includes('the-last-one'))
}

const visit = async (): Promise<number> => {
  const terminal = await openTerminal(team(), `/agents/${AGENT}/terminal?mode=bash`, { token: team().owner.token })
  await terminal.answered()
  terminal.close()
  return (await terminal.closed).code
}
const run = () => owner(`POST /agents/${AGENT}/exec`, { argv: ['true'] })

it('an act that the audit log refuses: a terminal and a program create no exec in the engine, and one that is allowed does', async () => {
  const refused = await eventsDuring(() =>
    whileAuditIsRefused(team().database, async () => {
      expect(await visit()).toBe(CloseCode.INTERNAL)
      expect((await run()).json()).toMatchObject({ code: 'AUDIT_REFUSED' })
    }),
  )
  expect(refused).toEqual([])
  // The same program causes events if it is allowed.
  const allowed = await eventsDuring(async () => {
    expect((await run()).statusCode).toBe(200)
  })
  expect(allowed).not.toEqual([])
})
