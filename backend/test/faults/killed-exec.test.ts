import { rmSync } from 'node:fs'
import type { AuditEvent, CreatedApiToken, ExecResult } from '@slipway/protocol'
import { newDataDir, until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../support/engine/engine.ts'
import { ServerProcess } from '../support/server/server-process.ts'
import { newAgent } from '../support/people/team.ts'

const { namespace, runtime } = useEngine()
const folder = newDataDir()
let server: ServerProcess
let containerId = ''
let token = ''

const start = async (): Promise<void> => {
  server = await ServerProcess.start({ SLIPWAY_NAMESPACE: namespace, SLIPWAY_IMAGES: IMAGE, SLIPWAY_DATA_DIR: folder })
}
beforeAll(async () => {
  await start()
  const { body } = await server.call('POST', '/agents?wait=true', newAgent('worker'))
  expect(body.state).toBe('running')
  const container = (await runtime.list()).find(({ agentId }) => agentId === body.id)
  containerId = container!.id
  // A CI job's idempotency keys belong to its API token, which outlives the server.
  const ci = { name: 'ci', scopes: ['terminal'] }
  const created = await server.call<CreatedApiToken>('POST', '/tokens', ci)
  expect(created.status).toBe(201)
  token = created.body.token
})
afterAll(async () => {
  await server.kill()
  rmSync(folder, { recursive: true, force: true })
})

/** The answer, or null if the server was gone before it answered. */
const exec = (script: string, { key, ...body }: { key?: string; timeoutSeconds?: number; stdin?: string } = {}) =>
  server
    .call<ExecResult & { code?: string }>(
      'POST',
      '/agents/worker/exec',
      { argv: ['sh', '-c', script], ...body },
      { authorization: `Bearer ${token}`, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    )
    .catch(() => null)
const sh = async (script: string): Promise<string> => {
  const argv = ['sh', '-c', script]
  return (await runtime.run(containerId, { argv, timeoutMs: 60_000, maxOutputBytes: 1000 })).stdout.toString()
}
const isRunning = async (text: string): Promise<boolean> =>
  (await runtime.processes(containerId)).some(({ command }) => command.includes(text))
/** The recorded ends of programs, newest first. */
const ends = async (): Promise<Record<string, unknown>[]> => {
  const { body } = await server.call<{ items: AuditEvent[] }>('GET', '/audit?action=exec.ended')
  return body.items.map(({ detail }) => detail)
}
const ended = (reason: string, exitCode: number | null) =>
  until(`an end with ${reason}`, async () =>
    (await ends()).some((end) => end['reason'] === reason && end['exitCode'] === exitCode),
  )

describe('a server that is killed while a program runs for a request', () => {
  it('leaves it running; the next one ends it, or has all of it for a client with a key, which asks again', async () => {
    const script =
      'cat; echo started >>/tmp/starts; echo first; echo wrong >&2; until [ -e /tmp/on ]; do sleep 0.05; done; : 4003; echo last; exit 3'
    const options = { key: 'deploy', stdin: 'typed\n' }
    const answers = [exec('sleep 4001'), exec(script, options)]
    await until('the program without a key', () => isRunning('sleep 4001'))
    await until('the program with one', async () => (await sh('cat /tmp/starts')) === 'started\n')
    await server.kill()
    expect(await Promise.all(answers)).toEqual([null, null])
    expect([await isRunning('sleep 4001'), await isRunning(': 4003')]).toEqual([true, true])
    await start()
    await until('the first one to be ended', async () => !(await isRunning('sleep 4001')))
    await ended('disconnected', null)
    const retry = exec(script, options)
    await sh('touch /tmp/on')
    const result = { exitCode: 3, stdout: 'typed\nfirst\nlast\n', stderr: 'wrong\n', truncated: false, timedOut: false }
    expect(await retry).toMatchObject({ status: 200, body: result })
    expect((await exec(script, options))?.body).toEqual((await retry)?.body)
    expect(await sh('cat /tmp/starts')).toBe('started\n')
    await ended('exited', 3)
  })

  // The test before expects such a record, too.
  longIt('leaves its end to the next one, which records it as it was', async () => {
    const answer = exec('echo begun >/tmp/begun; until [ -e /tmp/go ]; do sleep 0.05; done; : 4002; exit 42')
    await until('the program', async () => (await sh('cat /tmp/begun')) === 'begun\n')
    await server.kill()
    await sh('touch /tmp/go')
    await until('its end', async () => !(await isRunning(': 4002')))
    expect(await answer).toBeNull()
    await start()
    await ended('exited', 42)
  })

  // The first test has the answer of a program that ends under the next one.
  longIt('keeps what came of a program with a key that ended before the next one started', async () => {
    const script = 'echo begun >/tmp/begun5; until [ -e /tmp/go5 ]; do sleep 0.05; done; : 4005; seq 1 20000; exit 5'
    const answer = exec(script, { key: 'build' })
    await until('the program', async () => (await sh('cat /tmp/begun5')) === 'begun\n')
    await server.kill()
    await answer
    await sh('touch /tmp/go5')
    await until('its end', async () => !(await isRunning(': 4005')))
    await start()
    await ended('exited', 5)
    const retry = await exec(script, { key: 'build' })
    expect(retry).toMatchObject({ status: 200, body: { exitCode: 5, truncated: true } })
    expect(retry?.body.stdout.length).toBeGreaterThan(65_000)
    expect(retry?.body.stdout.endsWith('\n20000\n')).toBe(true)
  })

  // Under one server: `backend/src/modules/exec/exec.test.ts`, “ends what takes too long”.
  longIt('gives the program the time that its request asks for, counted from its start', async () => {
    const options = { key: 'slow', timeoutSeconds: 3 }
    const answer = exec('sleep 4006', options)
    await until('the program', () => isRunning('sleep 4006'))
    await server.kill()
    await answer
    await start()
    expect(await exec('sleep 4006', options)).toMatchObject({ status: 200, body: { timedOut: true, exitCode: null } })
    expect(await isRunning('sleep 4006')).toBe(false)
  })
})

describe('a client with a key', () => {
  it('may go away, and gets the result of the program when it asks again', async () => {
    const script = 'echo run >>/tmp/runs; until [ -e /tmp/go7 ]; do sleep 0.05; done; echo done'
    const leaving = new AbortController()
    const first = fetch(`${server.address}/api/agents/worker/exec`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': 'left' },
      body: JSON.stringify({ argv: ['sh', '-c', script] }),
      signal: leaving.signal,
    })
    await until('the program', async () => (await sh('cat /tmp/runs')) === 'run\n')
    leaving.abort()
    await expect(first).rejects.toThrow()
    expect(await exec(script, { key: 'left' })).toMatchObject({ status: 409, body: { code: 'REQUEST_IN_PROGRESS' } })
    await sh('touch /tmp/go7')
    const retry = await until('the result', async () => {
      const answer = await exec(script, { key: 'left' })
      return answer?.status === 200 ? answer.body : null
    })
    expect(retry).toMatchObject({ exitCode: 0, stdout: 'done\n' })
    expect(await sh('cat /tmp/runs')).toBe('run\n')
  })
})

// `modules/exec/exec.test.ts` ends programs with their clients, rights and agents.
longIt('a server that is stopped ends the programs that run for requests, with a key or without', async () => {
  const answers = [exec('sleep 4008'), exec('sleep 4009', { key: 'stopped' })]
  await until('both', async () => (await isRunning('sleep 4008')) && (await isRunning('sleep 4009')))
  await server.end('SIGTERM')
  for (const answer of await Promise.all(answers)) expect(answer?.status ?? 503).toBe(503)
  expect([await isRunning('sleep 4008'), await isRunning('sleep 4009')]).toEqual([false, false])
  await start()
  await ended('server_stopping', null)
  const retry = await exec('sleep 4009', { key: 'stopped' })
  expect(retry).toMatchObject({ status: 409, body: { code: 'WRONG_STATE' } })
})
