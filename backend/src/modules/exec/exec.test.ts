import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import {
  type AgentProcess,
  type CreatedApiToken,
  EXEC_OUTPUT_BYTES,
  type ExecBody,
  EXECS_PER_USER,
} from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { call, signIn } from '../../../test/support/people/people.ts'
import { as, newAgent, systemAgentSettled } from '../../../test/support/people/team.ts'
import { PATH, shell, useWorker } from '../../../test/support/engine/worker.ts'

const { team, run, result, send, commands, isRunning, started, ended, share } = useWorker()

describe('running a program in an agent', () => {
  it('answers with its exit code and its two outputs', async () => {
    expect(await result(shell('echo out; echo err >&2; exit 3'))).toEqual({
      exitCode: 3,
      stdout: 'out\n',
      stderr: 'err\n',
      truncated: false,
      timedOut: false,
      outOfMemory: false,
      durationMs: expect.any(Number),
    })
  })

  it('takes its arguments as they are, and no shell looks at them', async () => {
    const text = '$(id) `id`; rm -rf / " \\ \n*'
    expect((await result({ argv: ['printf', '%s', text] })).stdout).toBe(text)
  })

  it('gives the program its input, its environment and its folder', async () => {
    await result({ argv: ['mkdir', '-p', 'project/src'] })
    const body = shell('cat; echo "$GREETING"; pwd', {
      stdin: 'größer 😀\n',
      env: { GREETING: 'hi' },
      cwd: 'project/src',
    })
    expect((await result(body)).stdout).toBe('größer 😀\nhi\n/home/developer/project/src\n')
  })

  it('keeps the end of an output, cut between characters', async () => {
    const { stdout, stderr, truncated } = await result(shell('yes 😀 | head -c 3000001; echo end; echo short >&2'))
    expect(truncated).toBe(true)
    expect(Buffer.byteLength(stdout)).toBeGreaterThan(EXEC_OUTPUT_BYTES - 4)
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(EXEC_OUTPUT_BYTES + 8)
    expect(stdout.endsWith('end\n')).toBe(true)
    expect(stdout.slice(0, -10)).not.toContain('\ufffd')
    expect(stderr).toBe('short\n')
  })

  it('says what the shell says of a program that is not there', async () => {
    expect(await result({ argv: ['no-such-program'] })).toMatchObject({ exitCode: 127 })
  })

  it.each<[string, object]>([
    ['no program', { argv: [] }],
    ['a command line in place of a list', { argv: 'ls -l' }],
    ['an empty name', { argv: [''] }],
    ['a name that is an option', { argv: ['-a', 'name', 'id'] }],
    ['a character that no argument can hold', { argv: ['echo', 'a\0b'] }],
    ['a folder above the home', { argv: ['id'], cwd: '..' }],
    ['a folder that is not there', { argv: ['id'], cwd: 'nowhere' }],
    ['a variable that is no name', { argv: ['id'], env: { 'A B': '1' } }],
    ['a variable of the platform’s own', { argv: ['id'], env: { SLIPWAY_SESSION: '1' } }],
    ['a time beyond the longest', { argv: ['id'], timeoutSeconds: 1801 }],
    ['another user', { argv: ['id'], user: 'root' }],
    ['more privileges', { argv: ['id'], privileged: true }],
  ])('refuses %s', async (_what, body) => {
    const response = await run(body as ExecBody)
    expect([response.statusCode, response.json<{ code: string }>().code]).toEqual([400, 'VALIDATION'])
  })

  it('refuses a link that leads out of the home', async () => {
    await result({ argv: ['ln', '-sfn', '/etc', 'out'] })
    expect((await run({ argv: ['id'], cwd: 'out' })).statusCode).toBe(400)
  })

  it('ends what takes too long, with all that belongs to it, and says so', async () => {
    const body = shell('echo begun; sleep 3001 & (setsid sleep 3002 &) ; sleep 3003', { timeoutSeconds: 5 })
    expect(await result(body)).toMatchObject({ exitCode: null, timedOut: true, stdout: 'begun\n' })
    expect([await isRunning('sleep 3001'), await isRunning('sleep 3003')]).toEqual([false, false])
    // It was detached on purpose, so it survives, and the list tells its origin.
    const { items } = (await as(team(), team().owner)('GET /agents/worker/processes')).json<{ items: AgentProcess[] }>()
    const left = items.find(({ command }) => command.includes('sleep 3002'))
    expect(left?.origin).toMatchObject({ mode: 'exec', email: team().owner.email })
    await as(team(), team().owner)(`DELETE /agents/worker/processes/${left!.pid}`)
  })

  it('ends background processes when the program is over', async () => {
    expect((await result(shell('sleep 3004 >/dev/null 2>&1 & echo over'))).stdout).toBe('over\n')
    await ended('sleep 3004')
  })

  it('ends the program when the client is gone', async () => {
    const leaving = new AbortController()
    const answer = send({ argv: ['sleep', '3005'] }, { signal: leaving.signal })
    await started('sleep 3005')
    leaving.abort()
    await expect(answer).rejects.toThrow()
    await ended('sleep 3005')
  })

  it('does not show as left behind a program that a client waits for', async () => {
    const leaving = new AbortController()
    const answer = send({ argv: ['sleep', '3006'] }, { signal: leaving.signal })
    await started('sleep 3006')
    const { items } = (await as(team(), team().owner)('GET /agents/worker/processes')).json<{ items: AgentProcess[] }>()
    expect(items.filter(({ command }) => command.includes('3006'))).toEqual([])
    leaving.abort()
    await expect(answer).rejects.toThrow()
    await ended('sleep 3006')
  })
})

describe('docker cp races, PUT archive, working directory through /proc: a program', () => {
  it('is refused the folder /proc/self/fd/7 with 400', async () => {
    const response = await run({ argv: ['id'], cwd: '/proc/self/fd/7' })
    expect([response.statusCode, response.json<{ code: string }>().code]).toEqual([400, 'VALIDATION'])
  })
})

describe('the outputs as they come', () => {
  const lines = async (response: Response): Promise<Record<string, unknown>[]> => {
    const text = await response.text()
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  it('are one object in each line, and the last tells the end', async () => {
    const response = await send(shell('echo one; echo wrong >&2; exit 4'), { accept: 'application/x-ndjson' })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
    const all = await lines(response)
    expect(all.filter(({ type }) => type === 'stdout')).toEqual([{ type: 'stdout', text: 'one\n' }])
    expect(all.filter(({ type }) => type === 'stderr')).toEqual([{ type: 'stderr', text: 'wrong\n' }])
    expect(all.at(-1)).toMatchObject({ type: 'exit', exitCode: 4, timedOut: false })
  })

  // `stream.test.ts` has a reader who is slow, and the test before the outputs as they come.
  longIt('come before the program is over, and are held back while the client does not read', async () => {
    const script = 'echo first; yes | head -c 30000000; echo last >&2'
    const response = await send(shell(script), { accept: 'application/x-ndjson' })
    const reader = createInterface({ input: Readable.fromWeb(response.body as never) })
    const types: string[] = []
    let bytes = 0
    for await (const line of reader) {
      const { type, text } = JSON.parse(line) as { type: string; text: string }
      if (type === 'stdout') bytes += text.length
      types.push(type)
    }
    expect(bytes).toBe(30_000_000 + 'first\n'.length)
    expect([types[0], types.at(-1)]).toEqual(['stdout', 'exit'])
  })

  it('take no key, since a retry could not get them again', async () => {
    const response = await call(team().app, `POST ${PATH}`, {
      token: team().owner.token,
      headers: { accept: 'application/x-ndjson', 'idempotency-key': 'any' },
      body: { argv: ['id'] },
    })
    expect([response.statusCode, response.json<{ message: string }>().message]).toEqual([
      400,
      expect.stringContaining('idempotency-key') as string,
    ])
  })

  it('are an ordinary refusal where nothing was started', async () => {
    const response = await send({ argv: ['id'], cwd: '/etc' }, { accept: 'application/x-ndjson' })
    expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ code: 'VALIDATION' })])
  })
})

describe('the right to run a program', () => {
  it('is the right to open a terminal, with a token that has its scope', async () => {
    const { owner, admin, stranger, colleague } = team()
    const tokenWith = async (scopes: string[]) =>
      (await as(team(), owner)('POST /tokens', { name: 'ci', scopes })).json<CreatedApiToken>()
    expect((await run({ argv: ['id'] }, await tokenWith(['terminal']))).statusCode).toBe(200)
    expect((await run({ argv: ['id'] }, await tokenWith(['agents:read', 'agents:write']))).statusCode).toBe(403)
    expect((await run({ argv: ['id'] }, admin)).statusCode).toBe(200)
    expect((await run({ argv: ['id'] }, { token: 'nobody' })).statusCode).toBe(401)
    const forbidden = await run({ argv: ['id'] }, stranger)
    const missing = await as(team(), stranger)('POST /agents/no-such-agent/exec', { argv: ['id'] })
    expect([forbidden.statusCode, forbidden.body]).toEqual([404, missing.body])
    await share(team())
    expect((await run({ argv: ['id'] }, colleague)).statusCode).toBe(200)
  })

  it('is, in the system agent, for admins', async () => {
    await systemAgentSettled(team())
    const body = { argv: ['hostname'] }
    expect((await as(team(), team().owner)('POST /system-agent/exec', body)).statusCode).toBe(403)
    expect((await as(team(), team().admin)('POST /system-agent/exec', body)).json()).toMatchObject({ exitCode: 0 })
  })

  it('ends the program when the share ends', async () => {
    await share(team())
    const { owner, colleague } = team()
    const answer = run({ argv: ['sleep', '3007'] }, colleague)
    await started('sleep 3007')
    await as(team(), owner)(`DELETE /agents/worker/shares/${colleague.id}`)
    expect((await answer).json()).toMatchObject({
      code: 'FORBIDDEN',
      message: 'This agent is no longer shared with you.',
    })
    await ended('sleep 3007')
  })

  it('ends the program with the sign-in that started it', async () => {
    const again = await signIn(team(), team().owner.email)
    const answer = run({ argv: ['sleep', '3008'] }, again)
    await started('sleep 3008')
    await call(team().app, 'POST /auth/logout', { token: again.token })
    expect((await answer).json()).toMatchObject({ code: 'FORBIDDEN' })
    await ended('sleep 3008')
  })

  // `service.test.ts` has one place, and makes room for another program.
  longIt('allows a bounded number of programs at once, and a new one when one ends', async () => {
    const leaving = new AbortController()
    const answers = Array.from({ length: EXECS_PER_USER }, () =>
      send({ argv: ['sleep', '3009'] }, { signal: leaving.signal }).catch(() => null),
    )
    await until(
      'all of them',
      async () => (await commands()).filter((one) => one.startsWith('sleep 3009')).length === EXECS_PER_USER,
      60_000,
    )
    const refused = await run({ argv: ['id'] })
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '5'])
    expect((await run({ argv: ['id'] }, team().admin)).statusCode).toBe(200)
    leaving.abort()
    await Promise.all(answers)
    // Sixteen hang-ups at the same time in a container with one CPU.
    await until('room', async () => (await run({ argv: ['id'] })).statusCode === 200, 30_000)
  })
})

describe('an agent that is stopped', () => {
  it('ends the programs in it, and starts none', async () => {
    const owner = as(team(), team().owner)
    await owner('POST /agents?wait=true', newAgent('short-lived'))
    const answer = owner('POST /agents/short-lived/exec', { argv: ['sleep', '3010'] })
    await until(
      'the program',
      async () => (await owner('GET /agents/short-lived/stats')).json<{ processes: number }>().processes > 2,
    )
    await owner('POST /agents/short-lived/stop?wait=true')
    expect((await answer).json()).toMatchObject({ statusCode: 409, code: 'WRONG_STATE' })
    expect((await owner('POST /agents/short-lived/exec', { argv: ['id'] })).json()).toMatchObject({
      code: 'WRONG_STATE',
    })
    await owner('DELETE /agents/short-lived')
  })
})
