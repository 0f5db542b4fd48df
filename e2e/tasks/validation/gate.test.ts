/** A task of the real Claude Code that has to pass its validation, and a server that is killed while it validates. */
// In the short form the tests of the conductor have the gate, with every end.
import '@slipway/testing/long'
import type { CodingSession, RunEvent, Validation } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { beforeAll, expect, it } from 'vitest'
import { useOwnServer } from '../../support/own-server.ts'
import { endedTask, eventsOf, startTask, taskOf } from '../../support/tasks/follow.ts'
import { agentWithModel, type Script, sh } from '../../support/tasks/model.ts'
import { validationOf, verdictOf } from '../../support/tasks/validations.ts'

const write = (content: string) => ({
  tool: 'Write',
  input: { file_path: '/home/developer/app/sum.mjs', content },
})
const edit = (from: string, to: string) => ({
  tool: 'Bash',
  input: { command: `sed -i 's/a ${from} b/a ${to} b/' /home/developer/app/sum.mjs`, description: 'Repair it' },
})
const SCRIPT: Script = {
  '@break': [write('export const sum = (a, b) => a - b\n'), { say: 'Done.' }],
  'repair 1 of 2': [edit('-', '+'), { say: 'Repaired.' }],
  'repair 1 of 1': [{ say: 'It is fine.' }],
}
const MANIFEST = '{"scripts":{"test":"node --test"}}'
/** Waits for a file, so that the server can be killed while it validates. */
const TEST = `import { test } from "node:test"
import { equal } from "node:assert"
import { existsSync, watch, writeFileSync } from "node:fs"
import { sum } from "./sum.mjs"
writeFileSync("/home/developer/begun", "")
await new Promise((resolve) => {
  const look = () => existsSync("/home/developer/go") && resolve(watcher.close())
  const watcher = watch("/home/developer", look)
  look()
})
test("adds", () => equal(sum(2, 3), 5))
`
const PROJECT = `git config --global user.name Tester; git config --global user.email tester@example.org
  mkdir app && cd app && git init -q && echo '${MANIFEST}' >package.json && echo '{}' >package-lock.json
  echo 'export const sum = (a, b) => a + b' >sum.mjs && echo '${TEST}' >sum.test.mjs && git add -A && git commit -qm start`

/** Longest time until a CLI has done its work and its validation has begun on a busy machine, in milliseconds. */
const BEGUN_MS = 150_000

const own = useOwnServer()
let agent = ''

beforeAll(async () => {
  agent = (await agentWithModel(own.admin, SCRIPT)).name
  await sh(own.admin, agent, PROJECT)
})

const begin = (more: object): Promise<CodingSession> =>
  startTask(own.admin, { agent, prompt: '@break', cwd: 'app', ...more })

/** Whether the tests of the project run. */
const hasBegun = async (): Promise<boolean> => (await sh(own.admin, agent, 'ls')).includes('begun')

/** What the events of a task say about its validations, and where a process of its CLI begins again. */
const story = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) =>
    event.type === 'validation'
      ? [`${event.state}${event.repair === null ? '' : `, repair ${event.repair}`}`]
      : event.type === 'status' && event.message.startsWith('Repair')
        ? [event.message]
        : event.type === 'command' && event.command.startsWith('npm')
          ? [`${event.command}: ${event.exitCode}`]
          : [],
  )

// Two processes of a CLI, and two servers.
it('a task that fails its validation repairs its work and completes, though the server is killed while it validates', async () => {
  const { id, gate } = await begin({ gate: { repairs: 2 } })
  expect(gate).toEqual({ repairs: 2, begun: 0 })
  await until('the validation', hasBegun, BEGUN_MS)
  expect(await taskOf(own.admin, id)).toMatchObject({ state: 'running', validation: 'running', reason: null })
  // npm says what it runs, before the tests print anything.
  const running = { check: 0, when: 'after', output: expect.stringContaining('node --test') as string }
  expect(await validationOf(own.admin, id)).toMatchObject({ state: 'running', running })
  await sh(own.admin, agent, 'rm begun')
  await own.end('SIGKILL')
  await own.start()
  await until('the validation of the next server', hasBegun, BEGUN_MS)
  expect(await taskOf(own.admin, id)).toMatchObject({ state: 'running', validation: 'running' })
  await sh(own.admin, agent, 'touch go')
  const ended = await endedTask(own.admin, id)
  expect(ended).toMatchObject({
    ...{ state: 'completed', reason: 'completed', error: null, result: 'Repaired.' },
    ...{ validation: 'passed', gate: { repairs: 2, begun: 1 } },
  })
  expect(story(await eventsOf(own.admin, id))).toEqual([
    ...['running', 'running', 'npm run test: 1', 'npm run test  # at the start of the task: 0'],
    ...['failed, repair 1', 'Repair 1 of 2 begins.', 'running', 'npm run test: 0', 'passed'],
  ])
  const { state, checks, running: after }: Validation = await verdictOf(own.admin, id)
  expect([state, checks[0]?.after?.exitCode, after]).toEqual(['passed', 0, null])
  expect(await sh(own.admin, agent, 'cat app/sum.mjs')).toContain('a + b')
})

longIt('a task that does not repair its work ends as failed, with the reason and the evidence', async () => {
  await sh(own.admin, agent, 'touch go')
  const ended = await endedTask(own.admin, (await begin({ gate: { repairs: 1 } })).id)
  expect(ended).toMatchObject({
    ...{ state: 'failed', reason: 'validation_failed', validation: 'failed', gate: { repairs: 1, begun: 1 } },
    error: 'The validation failed: npm run test ended with exit code 1. It had one repair.',
  })
  expect(await verdictOf(own.admin, ended.id)).toMatchObject({ state: 'failed', checks: [{ after: { exitCode: 1 } }] })
})
