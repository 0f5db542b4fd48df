/** A task in the mode `pty` outlives its server: its output is complete, and nothing of it comes twice. */
// In the short form tasks/killed-server.test.ts has a program on pipes.
import '@slipway/testing/long'
import type { CodingResult, CodingSession } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { expect, it } from 'vitest'
import { runIn } from '../../support/engine.ts'
import { useOwnServer } from '../../support/own-server.ts'
import { ASKED_MS, endedTask, eventsOf } from '../../support/tasks/follow.ts'
import { agentWithModel, sh } from '../../support/tasks/model.ts'

const GATE = '/tmp/may-go-on'
const own = useOwnServer()

it('a task of Codex goes on while its server is killed, and its text is whole', async () => {
  const script = [
    { tool: 'exec_command', input: { cmd: 'printf "%s-%s" first part' } },
    { say: 'All done.', gate: GATE },
  ]
  const { name: agent } = await agentWithModel(own.admin, script, 'codex')
  const body = { agent, mode: 'pty', prompt: 'begin' }
  const answer = own.admin.call('POST', '/coding-agents/run', body).then(
    () => 'answered',
    () => 'broken',
  )
  const isAsked = async (): Promise<boolean> => (await sh(own.admin, agent, 'cat model.log')).includes(GATE)
  await until('the model to be asked for its last answer', isAsked, ASKED_MS)
  const [task] = await own.admin.ok<CodingSession[]>('GET', '/coding-agents/sessions')
  const { id } = task!

  await own.end('SIGKILL')
  expect(await answer).toBe('broken')
  await runIn(`${own.namespace}-agent-${agent}`, ['touch', GATE])
  await own.start()
  const back = own.admin
  expect(await endedTask(back, id)).toMatchObject({ state: 'completed', reason: 'completed', mode: 'pty', exitCode: 0 })
  const { output } = await back.ok<CodingResult>('GET', `/coding-agents/results/${id}`)
  expect(output.match(/first-part/g)).toHaveLength(1)
  expect(output).toContain('All done.')
  const events = await eventsOf(back, id)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
})
