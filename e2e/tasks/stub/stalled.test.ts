/** Tasks that are silent: one that does nothing is ended as stalled, and one that works goes on. */
// In the short form `backend/src/modules/runs/stall/watch.test.ts` has the silent runs, and `cpu.test.ts` beside it what they use.
import '@slipway/testing/long'
import type { CodingSession } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { beforeAll, expect, it } from 'vitest'
import { useOwnServer } from '../../support/own-server.ts'
import { endedTask, eventsOf, startTask, taskOf } from '../../support/tasks/follow.ts'
import { sh } from '../../support/tasks/model.ts'
import { agentWithStub, leftIn } from '../../support/tasks/stub.ts'

/** Three seconds. */
const own = useOwnServer({ SLIPWAY_TASK_STALL_MINUTES: '0.05' })
/** Starting a server again takes long on a busy machine. */
const LONG = { timeout: 240_000 }
let agent = ''

beforeAll(async () => {
  agent = await agentWithStub(own.admin, 'claude-code', 'codex')
})

const start = (provider: string, prompt: string): Promise<CodingSession> =>
  startTask(own.admin, { agent, provider, prompt })

it('a silent task is ended if it uses no CPU, and goes on if a process that it started does', LONG, async () => {
  const busy = await start('codex', '@busy')
  const idle = await endedTask(own.admin, (await start('claude-code', '@silent-after-tool')).id)
  expect(idle).toMatchObject({
    state: 'failed',
    reason: 'stalled',
    error: 'Claude Code printed nothing and used no CPU for 3 seconds, so it was ended.',
    // It was interrupted first, so it told its cost.
    costUsd: 0.1,
  })
  expect((await eventsOf(own.admin, idle.id)).map(({ type }) => type)).toContain('command')
  expect(await taskOf(own.admin, busy.id)).toMatchObject({ state: 'running' })

  await sh(own.admin, agent, 'touch go-on')
  expect(await endedTask(own.admin, busy.id)).toMatchObject({ state: 'completed', result: 'Well done.' })
  expect(await leftIn(own.admin, agent)).toEqual([])
})

it('a task that was taken up again by another server is ended as stalled, too', LONG, async () => {
  const { id } = await start('codex', '@silent-after-tool')
  await until('its first words', async () => (await taskOf(own.admin, id)).lastSeq > 1)
  await own.end('SIGKILL')
  await own.start()
  expect(await endedTask(own.admin, id)).toMatchObject({ state: 'failed', reason: 'stalled' })
  await expect.poll(() => leftIn(own.admin, agent)).toEqual([])
})
