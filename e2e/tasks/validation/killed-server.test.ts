/** The server is killed while a validation runs. */
// In the short form `../killed-server.test.ts` kills the server once under a validation.
import '@slipway/testing/long'
import type { Validation } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { expect, it } from 'vitest'
import { useOwnServer } from '../../support/own-server.ts'
import { taskOf } from '../../support/tasks/follow.ts'
import { sh } from '../../support/tasks/model.ts'
import { putStub } from '../../support/tasks/stub.ts'
import { startValidation, taskDone, validated, verdictOf } from '../../support/tasks/validations.ts'

const own = useOwnServer()

it('the next server tells that it was interrupted, ends its command, and can validate again', async () => {
  const { name: agent } = await own.admin.agent({ runtime: 'bash', memoryMb: 512 })
  await putStub(own.admin, agent, 'claude-code')
  const { id } = await taskDone(own.admin, { agent, provider: 'claude-code', prompt: '@cost' })
  const sleeps = async (): Promise<boolean> => (await sh(own.admin, agent, 'ps -eo args')).includes('sleep 986\n')
  await startValidation(own.admin, id, { command: 'echo begun; exec sleep 986' })
  await until('the command', sleeps)
  await own.end('SIGKILL')
  await own.start()
  const ended: Validation = await verdictOf(own.admin, id)
  expect(ended).toMatchObject({ state: 'not_verified', reason: 'interrupted', kind: 'command' })
  expect(await taskOf(own.admin, id)).toMatchObject({ validation: 'not_verified' })
  await until('the end of the command', async () => !(await sleeps()))
  expect(await validated(own.admin, id, { command: 'true' })).toMatchObject({ state: 'passed' })

  await startValidation(own.admin, id, { command: 'exec sleep 986' })
  await until('the command', sleeps)
  await own.end('SIGTERM')
  await own.start()
  expect(await verdictOf(own.admin, id)).toMatchObject({ state: 'not_verified', reason: 'interrupted' })
  await until('the end of the command', async () => !(await sleeps()))
})
