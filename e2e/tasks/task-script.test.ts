/** `examples/task.sh` as a CI job runs it: against the real server, engine and Claude Code. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { CodingSession } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { endedTask } from '../support/tasks/follow.ts'
import { agentWithModel, sh } from '../support/tasks/model.ts'

const SCRIPT = join(import.meta.dirname, '../../examples/task.sh')
const FOLDER = '/home/developer/project'
const WRITE = { command: `echo new >> ${FOLDER}/file.txt`, description: 'Write a line' }

let person: Client
let token: string
beforeAll(async () => {
  person = await newUser(await signInAdmin())
  token = (await person.apiToken('tasks:read', 'tasks:write')).token
  const { name } = await agentWithModel(person, {
    '@write': [{ tool: 'Bash', input: WRITE }, { say: 'I wrote a line.' }],
    '@silent': [{ say: 'Too late.', gate: '/tmp/never' }],
    '@refused': [{ status: 401, error: 'authentication_error', say: 'no such key' }],
  })
  await sh(
    person,
    name,
    `mkdir ${FOLDER} && cd ${FOLDER} && git init -q && echo old > file.txt && git add . &&
    git -c user.name=Test -c user.email=test@example.org commit -qm first`,
  )
})

const start = (prompt: string, env: Record<string, string> = {}) => {
  const child = spawn(SCRIPT, [prompt], {
    env: { PATH: process.env.PATH, SLIPWAY_URL: inject('baseUrl'), SLIPWAY_TOKEN: token, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()))
  return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number, ...said })) }
}
const run = (prompt: string, env?: Record<string, string>) => start(prompt, env).ended

describe('the script of a CI job for a task', () => {
  it('prints the answer and the diff', async () => {
    const { code, stdout, stderr } = await run('@write', { SLIPWAY_CWD: 'project' })
    expect([code, stderr]).toEqual([0, 'I wrote a line.\n'])
    expect(stdout).toContain('--- a/file.txt\n+++ b/file.txt\n')
    expect(stdout).toContain('\n+new\n')
  })

  it('fails with the reason of a task that did not complete', async () => {
    const { code, stdout, stderr } = await run('@refused', { SLIPWAY_CWD: 'project' })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('slipway: not_signed_in: ')
  })

  // `../api/ci-script.test.ts` has a program that took too long.
  longIt('tells a task that took too long from one that failed', async () => {
    const { code, stderr } = await run('@silent', { SLIPWAY_TASK: '{"timeout_seconds": 1}' })
    expect(code).toBe(124)
    expect(stderr).toContain('slipway: timed_out: ')
  })

  it('ends the task when it is ended itself', async () => {
    const { child, ended } = start('@silent')
    const id = await until('the task', async () => {
      const found = await person.ok<CodingSession[]>('GET', '/coding-agents/sessions')
      return found.find(({ state }) => state === 'running')?.id ?? false
    })
    child.kill('SIGTERM')
    expect((await ended).code).toBe(143)
    expect(await endedTask(person, id)).toMatchObject({ reason: 'terminated' })
  })

  it.each([
    ['an agent that is not there', { SLIPWAY_AGENT: 'nobody' }, '404'],
    ['a token that is none', { SLIPWAY_TOKEN: 'slp_nothing' }, '401'],
    ['a server that is not there', { SLIPWAY_URL: 'http://127.0.0.1:1', SLIPWAY_RETRIES: '1' }, 'cannot be reached'],
  ])('says that it is Slipway that failed: %s', async (_what, env, message) => {
    const { code, stdout, stderr } = await run('@write', env)
    expect([code, stdout]).toEqual([125, ''])
    expect(stderr).toContain(message)
  })
})
