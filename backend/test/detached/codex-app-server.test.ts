/** Codex detaches a server on purpose, and keeps it in the background. The test starts it as Codex does. */
// In the short form the tests of the runtime leave what was detached, list it, and end it.
import '@slipway/testing/long'
import type { AgentProcess } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { beforeAll, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../support/engine/engine.ts'
import { as, newAgent, systemAgentSettled, useTeam } from '../support/people/team.ts'
import { openBash } from '../support/terminals/terminal.ts'

const AGENT = 'codex-daemon'
/** Codex copies itself, 400 MB, into the home before it starts its server. Milliseconds. */
const INSTALLED_WITHIN_MS = 120_000

const engine = useEngine()
const team = useTeam({ runtime: engine.runtime, config: { images: [IMAGE] } })
const asOwner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
let containerId: string

beforeAll(async () => {
  await systemAgentSettled(team())
  const created = await asOwner('POST /agents?wait=true', newAgent(AGENT, { memoryMb: 1024 }))
  const found = await engine.runtime.find({ agentId: created.json<{ id: string }>().id, agentName: AGENT })
  containerId = found!.id
})

const listed = async (): Promise<AgentProcess[]> =>
  (await asOwner(`GET /agents/${AGENT}/processes`)).json<{ items: AgentProcess[] }>().items
const daemon = async (): Promise<string> => {
  const argv = ['codex', 'app-server', 'daemon', 'version']
  const { stdout } = await engine.runtime.run(containerId, { argv, timeoutMs: 20_000, maxOutputBytes: 10_000 })
  return stdout.toString()
}

it('lets Codex’s app-server live on after its terminal, lists it with its origin, and ends it', async () => {
  const terminal = await openBash(team(), AGENT, team().owner.token)
  await terminal.run('(sleep 3777 &)')
  await terminal.run('codex app-server daemon start', INSTALLED_WITHIN_MS)
  terminal.close()
  // An ordinary program of the same terminal ends with the terminal.
  await until('the hang-up', async () => {
    const all = await engine.runtime.processes(containerId)
    return !all.some(({ command }) => command === 'sleep 3777')
  })

  const left = await listed()
  expect(left.map(({ command }) => command.replace(/^\S*\/bin\//, '')).sort()).toEqual([
    expect.stringMatching(/^codex app-server --listen unix:\/\/ .*--managed-daemon$/),
    'codex app-server daemon pid-update-loop',
  ])
  const origin = { sessionId: terminal.sessionId, mode: 'bash', endedAt: expect.any(String) as string }
  for (const process of left) expect(process).toMatchObject({ ppid: 1, ignoresHangup: false, origin })
  expect(JSON.parse(await daemon())).toMatchObject({ status: 'running' })

  for (const { pid } of left) expect((await asOwner(`DELETE /agents/${AGENT}/processes/${pid}`)).statusCode).toBe(204)
  expect(await listed()).toEqual([])
  expect(await daemon()).not.toContain('"running"')
})
