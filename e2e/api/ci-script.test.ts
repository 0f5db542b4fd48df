/** `examples/ci.sh` as a CI job runs it: against the real server and engine. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Agent } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { type Client, newUser, signInAdmin, uniqueName } from '../support/api.ts'

const SCRIPT = join(import.meta.dirname, '../../examples/ci.sh')

let person: Client
let token: string
beforeAll(async () => {
  person = await newUser(await signInAdmin())
  token = (await person.apiToken('agents:write', 'terminal')).token
})

const start = (argv: readonly string[], env: Record<string, string> = {}) => {
  const child = spawn(SCRIPT, argv, {
    env: { PATH: process.env.PATH, SLIPWAY_URL: inject('baseUrl'), SLIPWAY_TOKEN: token, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, ...said }))
  return { child, ended }
}
const run = (argv: readonly string[], env?: Record<string, string>) => start(argv, env).ended
const agents = async (): Promise<string[]> => {
  const { items } = await person.ok<{ items: Agent[] }>('GET', '/agents')
  return items.map(({ name }) => name)
}

describe('the script of a CI job', () => {
  it('makes an agent, runs the program in it, and deletes it', async () => {
    const text = 'a "b" $c `d` *'
    const ended = await run(['sh', '-c', 'printf "%s\\n" "$1"; whoami >&2', 'sh', text])
    expect(ended).toEqual({ code: 0, stdout: `${text}\n`, stderr: 'developer\n' })
    expect(await agents()).toEqual([])
  })

  // The test before, with the curl of this machine.
  longIt('does so with the curl of Ubuntu 22.04, which knows no --json', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-test-curl-'))
    const { PATH = '' } = process.env
    const lines = [
      '#!/bin/sh',
      'for each; do [ "$each" != --json ] || { echo "curl: option --json: is unknown" >&2; exit 2; }; done',
      `PATH='${PATH}' exec curl "$@"`,
    ]
    writeFileSync(join(folder, 'curl'), lines.join('\n'), { mode: 0o755 })
    const ended = await run(['echo', 'made'], { PATH: `${folder}:${PATH}` })
    rmSync(folder, { recursive: true })
    expect(ended).toEqual({ code: 0, stdout: 'made\n', stderr: '' })
  })

  it('ends as the program did', async () => {
    expect(await run(['sh', '-c', 'echo no; exit 3'])).toEqual({ code: 3, stdout: 'no\n', stderr: '' })
    expect(await agents()).toEqual([])
  })

  it('tells a program that took too long from one that failed', async () => {
    // Long enough for a busy engine to begin it.
    const ended = await run(['sh', '-c', 'echo begun; sleep 60'], { SLIPWAY_TIMEOUT: '5' })
    expect(ended).toEqual({ code: 124, stdout: 'begun\n', stderr: 'slipway: its time was over\n' })
    expect(await agents()).toEqual([])
  })

  it.each([
    [
      'an agent that cannot be made',
      { SLIPWAY_CREATE: '{"runtime":"claude-code","image":"nobody/has:this"}' },
      'not offered',
    ],
    ['a token that is none', { SLIPWAY_TOKEN: 'slp_nothing' }, '401'],
    ['a server that is not there', { SLIPWAY_URL: 'http://127.0.0.1:1', SLIPWAY_RETRIES: '1' }, 'cannot be reached'],
  ])('says that it is Slipway that failed: %s', async (_what, env, message) => {
    const { code, stdout, stderr } = await run(['true'], env)
    expect([code, stdout]).toEqual([125, ''])
    expect(stderr).toContain(message)
    expect(await agents()).toEqual([])
  })

  it('leaves alone an agent of the same name that was there before', async () => {
    const { name } = await person.agent()
    const { code, stderr } = await run(['true'], { SLIPWAY_AGENT: name })
    expect([code, stderr]).toEqual([125, expect.stringContaining('exists already')])
    expect(await agents()).toEqual([name])
    await person.ok('DELETE', `/agents/${name}`)
  })

  // The last test ends the script, too, and looks for its agent.
  longIt('deletes the agent also when it is ended itself', async () => {
    const name = uniqueName()
    const { child, ended } = start(['sleep', '600'], { SLIPWAY_AGENT: name })
    await until('the agent to run', async () => {
      const { body } = await person.call<Agent>('GET', `/agents/${name}`)
      return body.state === 'running'
    })
    child.kill('SIGTERM')
    expect(await ended).toEqual({ code: 143, stdout: '', stderr: '' })
    expect(await agents()).toEqual([])
  })

  it('shows its token to no other user of the machine', async () => {
    const name = uniqueName()
    const { child, ended } = start(['sleep', '600'], { SLIPWAY_AGENT: name })
    const commandLines = (): string[] =>
      readdirSync('/proc')
        .filter((entry) => /^\d+$/.test(entry))
        .flatMap((pid) => {
          try {
            return [readFileSync(`/proc/${pid}/cmdline`, 'utf8')]
          } catch {
            return []
          }
        })
    // While a process executes another program, its command line is a mix of both.
    await until('its request', () =>
      commandLines().some((line) => line.startsWith('curl\0') && line.includes(`/agents/${name}/exec`)),
    )
    expect(commandLines().filter((line) => line.includes(token))).toEqual([])
    child.kill('SIGTERM')
    await ended
    expect(await agents()).toEqual([])
  })
})
