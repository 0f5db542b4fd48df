/** `slipway login`, and whose token a command uses. */
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { MAIN, useCommand, valuesIn } from '../support/command.ts'
import { startInPty } from '../support/terminal/pty.ts'

const slipway = useCommand()
let person: Client
let token: string
beforeAll(async () => {
  person = await newUser(await signInAdmin())
  token = (await person.apiToken('agents:read')).token
})
const file = (): string => join(slipway.home, '.config/slipway/account.json')
const signIn = () => slipway.run(['login', '--server', `${inject('baseUrl')}/`], { stdin: `${token}\n` })

describe('the account', () => {
  it('is stored for its owner alone, and used by the next command', async () => {
    const { code, stdout, stderr } = await signIn()
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toContain(`as ${person.email}.`)
    expect(stderr).not.toContain(token)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(statSync(join(file(), '..')).mode & 0o777).toBe(0o700)
    expect(await slipway.run(['agents', '--json'])).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('is typed in a terminal without being seen', async () => {
    const argv = [process.execPath, MAIN, 'login', '--token', '--server', inject('baseUrl')]
    const here = startInPty(argv, { HOME: slipway.home })
    await here.prints(/Token/)
    here.type(`${token}\r`)
    expect(await here.ended).toBe(0)
    expect(here.printed()).toContain('You are signed in')
    expect(here.printed()).not.toContain(token)
  })

  it('with a token that the server does not know is not stored', async () => {
    const before = readFileSync(file(), 'utf8')
    const env = { SLIPWAY_URL: inject('baseUrl') }
    const ended = await slipway.run(['login'], { stdin: 'slp_nothing', env })
    expect([ended.code, ended.stdout]).toEqual([3, ''])
    expect(ended.stderr).not.toContain('slp_nothing')
    expect(readFileSync(file(), 'utf8')).toBe(before)
  })

  it('that others can read is refused', async () => {
    chmodSync(file(), 0o644)
    const { code, stderr } = await slipway.run(['agents'])
    chmodSync(file(), 0o600)
    expect([code, stderr]).toEqual([2, expect.stringContaining('Other users of this machine can read')])
  })

  it('of the environment wins', async () => {
    const env = { SLIPWAY_TOKEN: 'slp_other' }
    expect(await slipway.run(['agents', '--json'], { env })).toMatchObject({ code: 3 })
    const foreign = (await (await newUser(await signInAdmin())).apiToken('tasks:read')).token
    const ended = await slipway.run(['agents', '--json'], { env: { SLIPWAY_TOKEN: foreign } })
    expect([ended.code, valuesIn(ended.stderr)]).toEqual([
      4,
      [{ statusCode: 403, code: 'FORBIDDEN', error: 'Forbidden', message: expect.any(String) as string }],
    ])
  })

  it('is not sent to another server, nor after a redirect', async () => {
    const seen: (string | undefined)[] = []
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(307, { location: `${inject('baseUrl')}/api/agents` }).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const unknown = await slipway.run(['agents'], { env: { SLIPWAY_URL: url } })
    expect([unknown.code, unknown.stderr, seen]).toEqual([3, expect.stringContaining('There is no token for'), []])
    const redirected = await slipway.run(['agents'], { env: { SLIPWAY_URL: url, SLIPWAY_TOKEN: 'slp_mine' } })
    await new Promise((resolve) => server.close(resolve))
    expect([redirected.code, redirected.stderr]).toEqual([9, expect.stringContaining('at another address')])
    expect(seen).toEqual(['Bearer slp_mine'])
  })

  it('is damaged, and the command says so', async () => {
    const before = readFileSync(file(), 'utf8')
    writeFileSync(file(), '{')
    const { code, stderr } = await slipway.run(['agents'])
    writeFileSync(file(), before)
    expect([code, stderr]).toEqual([2, expect.stringContaining('is damaged')])
  })

  it('is gone after a logout', async () => {
    expect(await slipway.run(['logout'])).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await slipway.run(['agents'])).toMatchObject({ code: 3, stdout: '' })
  })
})

describe('the command', () => {
  it.each([
    [['nothing'], 2, 'There is no command nothing'],
    [['agents', '--nothing'], 2, "Unknown option '--nothing'"],
    [['run', 'atlas'], 2, 'PROMPT is missing'],
    [['run', 'atlas', 'x', '--ui', 'web'], 2, '--ui takes tty, rpc, debug, headless'],
    [['login', '--server', 'ftp://here'], 2, 'begins with https://'],
  ])('says what is wrong with %j', async (argv, exitCode, message) => {
    const { code, stdout, stderr } = await slipway.run(argv)
    expect([code, stdout, stderr]).toEqual([exitCode, '', expect.stringContaining(message)])
  })

  it('says that no server answers', async () => {
    const env = { SLIPWAY_URL: 'http://127.0.0.1:1', SLIPWAY_TOKEN: 'slp_x' }
    const { code, stderr } = await slipway.run(['agents'], { env })
    expect([code, stderr]).toEqual([8, 'slipway: Slipway does not answer at http://127.0.0.1:1 (ECONNREFUSED).\n'])
  })

  it('has help and a version', async () => {
    expect(await slipway.run(['--version'])).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' })
    for (const argv of [[], ['--help']])
      expect((await slipway.run(argv)).stdout).toContain('run [options] AGENT PROMPT')
    expect((await slipway.run(['run', '--help'])).stdout).toContain('--follow')
  })
})
