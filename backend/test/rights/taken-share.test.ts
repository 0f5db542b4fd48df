/** If the owner revokes a share, everything ends that runs by it, with the programs that got something through it. */
import { CloseCode } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { beforeAll, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../support/engine.ts'
import { as, newAgent, systemAgentSettled, useTeam } from '../support/team.ts'
import { openBash } from '../support/terminal.ts'

const AGENT = 'lent'
const KEY = 'sk-ant-canary-0123456789abcdef'
/** Everything that is open must end within this time, in milliseconds. */
const ENDED_WITHIN_MS = 10_000

const engine = useEngine()
const team = useTeam({ runtime: engine.runtime, config: { images: [IMAGE] } })
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
const share = () => owner(`POST /agents/${AGENT}/shares`, { email: team().colleague.email })
const unshare = () => owner(`DELETE /agents/${AGENT}/shares/${team().colleague.id}`)
let containerId: string

beforeAll(async () => {
  await systemAgentSettled(team())
  const created = await owner('POST /agents?wait=true', newAgent(AGENT))
  const found = await engine.runtime.find({ agentId: created.json<{ id: string }>().id, agentName: AGENT })
  containerId = found!.id
})

const sh = async (script: string): Promise<string> => {
  const argv = ['sh', '-c', script]
  const { stdout } = await engine.runtime.run(containerId, { argv, timeoutMs: 20_000, maxOutputBytes: 10_000 })
  return stdout.toString().trim()
}

it('ends a live terminal that was given a credential, with every process that has it', async () => {
  await owner(`PUT /agents/${AGENT}/credentials/anthropic-api-key`, { value: KEY })
  await share()
  const terminal = await openBash(team(), AGENT, team().colleague.token)
  await terminal.run('(trap "" TERM; sleep 3666 &)')
  const holders = (): Promise<string> => sh(`grep -lz '^ANTHROPIC_API_KEY=${KEY}$' /proc/[0-9]*/environ 2>/dev/null`)
  expect((await holders()).split('\n').length).toBeGreaterThan(1)

  const from = performance.now()
  expect((await unshare()).statusCode).toBe(204)
  terminal.type('touch ~/after\r')
  expect((await terminal.closed).code).toBe(CloseCode.FORBIDDEN)
  expect(performance.now() - from).toBeLessThan(ENDED_WITHIN_MS)
  expect(terminal.frames.at(-1)).toMatchObject({ type: 'error', reason: 'access_revoked' })
  await until('the key to be gone', async () => (await holders()) === '')
  expect(await sh('ls ~/after 2>&1')).toContain('No such file')
})
