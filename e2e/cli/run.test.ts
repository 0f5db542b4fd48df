/** `slipway run`, with the real Claude Code in a real agent. */
import type { CodingSession } from '@slipway/protocol'
import { beforeAll, expect, inject, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { useCommand, valuesIn } from '../support/command.ts'
import { agentWithModel } from '../support/tasks/model.ts'

const slipway = useCommand()
let owner: Client
let agent: string
let env: Readonly<Record<string, string>>
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  const { token } = await owner.apiToken('agents:read', 'tasks:read', 'tasks:write')
  env = { SLIPWAY_URL: inject('baseUrl'), SLIPWAY_TOKEN: token }
  const made = await agentWithModel(owner, {
    ADD: [
      { tool: 'Bash', input: { command: 'echo new > ~/project/added.txt', description: 'Add' } },
      { say: 'It is \u001b[31mdone\u001b[0m.' },
    ],
    FAIL: [{ status: 400, say: 'No such model', error: 'invalid_request_error' }],
  })
  agent = made.name
  const script =
    'git init -q project && cd project && git -c user.name=t -c user.email=t@t commit -q --allow-empty -m a'
  await owner.ok('POST', `/agents/${agent}/exec`, { argv: ['sh', '-c', script] })
  return () => owner.ok('DELETE', `/agents/${agent}`)
})

it('lists the agent', async () => {
  const { code, stdout } = await slipway.run(['agents', '--json'], { env })
  expect([code, valuesIn(stdout)]).toEqual([0, [expect.objectContaining({ name: agent, state: 'running' })]])
  expect((await slipway.run(['agents'], { env })).stdout).toMatch(new RegExp(`${agent} +running +claude-code`))
})

it('follows a task as JSON, with its events, its end and its diff', async () => {
  const argv = ['run', agent, 'ADD a file', '--follow', '--json', '--diff', '--cwd', 'project']
  const { code, stdout, stderr } = await slipway.run(argv, { env })
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).not.toContain('\u001b')
  const values = valuesIn(stdout)
  const events = values.filter(({ seq }) => seq !== undefined)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  expect(events).toContainEqual(expect.objectContaining({ type: 'text', text: 'It is \u001b[31mdone\u001b[0m.' }))
  const [first, [ended, diff]] = [values[0], values.slice(-2)]
  expect(first).toEqual({
    type: 'session',
    session: expect.objectContaining({ agent, prompt: 'ADD a file' }) as object,
  })
  expect(ended).toMatchObject({ type: 'ended', session: { state: 'completed', agent } })
  const { id } = first?.session as CodingSession
  // Git has few seconds at the start of a task, so a busy machine may know no changes.
  expect(diff).toEqual({ type: 'diff', diff: await owner.ok('GET', `/coding-agents/sessions/${id}/diff`) })
})

it('shows a task to people without what its agent would do to their terminal', async () => {
  const done = await slipway.run(['run', agent, '-', '-f'], { env, stdin: 'ADD again' })
  expect(done).toMatchObject({ code: 0, stderr: '' })
  expect(done.stdout).toContain('$ echo new > ~/project/added.txt\n')
  expect(done.stdout).toContain('It is \ufffd[31mdone\ufffd[0m.\n')
  expect(done.stdout).toMatch(/✓ completed/)
})

it('fails with its task, and says why', async () => {
  const failed = await slipway.run(['run', agent, 'FAIL now', '--follow'], { env })
  expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining('No such model')])
})

it('starts a task and leaves it, and says why it cannot', async () => {
  const started = await slipway.run(['run', agent, 'ADD once more'], { env })
  expect(started).toMatchObject({ code: 0, stderr: expect.stringContaining('follows it') as string })
  expect(started.stdout).toMatch(/^[0-9a-f-]{36}\n$/)
  const missing = await slipway.run(['run', 'no-such-agent', 'x', '--json'], { env })
  expect([missing.code, missing.stdout, valuesIn(missing.stderr)]).toEqual([
    ...[5, ''],
    [{ statusCode: 404, code: 'NOT_FOUND', error: 'Not Found', message: expect.any(String) as string }],
  ])
})
