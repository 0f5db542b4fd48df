/** A person answers a question of Claude Code while the server has lost the container engine. */
// In the short form `backend/src/modules/runs/people/people.test.ts` gives an answer again, and `backend/src/modules/runs/conduct/conduct.test.ts` looks
// for a run again when the engine is lost.
import '@slipway/testing/long'
import { EngineProxy } from '@slipway/testing/engine-proxy'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { useOwnServer } from '../../support/own-server.ts'
import { answer, asked, openDialogs } from '../../support/tasks/dialogs.ts'
import { endedTask, eventsOf, startTask } from '../../support/tasks/follow.ts'
import { agentWithModel, sh } from '../../support/tasks/model.ts'

const engine = new EngineProxy()
beforeAll(() => engine.open())
afterAll(() => engine.remove())
const own = useOwnServer({ DOCKER_HOST: `unix://${engine.path}` })

it('an answer that is given while the engine is away arrives once it is back, and once', async () => {
  const { name: agent } = await agentWithModel(own.admin, [
    { tool: 'Bash', input: { command: 'sudo -n true; echo ran >>ran', description: 'Do it' } },
    { say: 'All done.' },
  ])
  const { id } = await startTask(own.admin, { agent, prompt: 'run', policy: 'ask' })
  const dialog = await asked(own.admin, id)
  await engine.cut()
  expect(await openDialogs(own.admin, id)).toEqual([dialog])
  expect(await answer(own.admin, dialog, { decision: 'allow' })).toMatchObject({ state: 'answered' })
  await engine.open()
  expect(await endedTask(own.admin, id)).toMatchObject({ reason: 'completed', result: 'All done.' })
  expect(await sh(own.admin, agent, 'cat ran')).toBe('ran\n')
  const answers = (await eventsOf(own.admin, id)).filter(({ type }) => type === 'answer')
  expect(answers).toMatchObject([{ requestId: dialog.requestId, decision: 'allow', by: own.admin.email }])
})
