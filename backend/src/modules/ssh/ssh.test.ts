/** The SSH server as OpenSSH's own programs, rsync and git see it, with a real container. */
import { once } from 'node:events'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { ExecResult } from '@slipway/protocol'
import ssh2, { type Client, type ClientChannel, type ExecOptions } from 'ssh2'
import { freePort } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { beforeAll, describe, expect, it } from 'vitest'
import { auditOf } from '../../../test/support/audit.ts'
import { IMAGE, useEngine } from '../../../test/support/engine/engine.ts'
import { MemoryKeys } from '../../../test/support/ssh/memory-keys.ts'
import { useOpenSsh } from '../../../test/support/ssh/openssh.ts'
import { as, newAgent, useTeam } from '../../../test/support/people/team.ts'
import { KEY_REMOVED } from './connections.ts'
import { CHANNELS_PER_CONNECTION } from './limits.ts'

const WORKER = 'worker@agents'
const keys = new MemoryKeys()
const { namespace, runtime } = useEngine()
const team = useTeam({ runtime, config: { namespace, images: [IMAGE], sshPort: 0 }, sshKeys: keys })
const mine = useOpenSsh(team)
const theirs = useOpenSsh(team)
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
const share = () => owner('POST /agents/worker/shares', { email: team().colleague.email })

/** Runs a command line in the agent over SSH. */
const ssh = (line: string, input: string | Buffer = '', ...flags: readonly string[]) =>
  mine().run('ssh', [...mine().options, ...flags, WORKER, line], { input })
/** The same over HTTP. */
const exec = async (script: string): Promise<string> =>
  (await owner('POST /agents/worker/exec', { argv: ['sh', '-c', script] })).json<ExecResult>().stdout

/** Connects with another client than OpenSSH's, which does as it is told. */
const connect = async (): Promise<Client> => {
  const client = new ssh2.Client()
  const privateKey = readFileSync(join(mine().folder, 'key'))
  client.connect({ host: '127.0.0.1', port: team().sshPort()!, username: 'worker', privateKey })
  await once(client, 'ready')
  return client
}

beforeAll(async () => {
  await owner('POST /agents?wait=true', newAgent('worker'))
  keys.add(team().owner.id, mine().publicKey)
})

describe('a program over SSH', () => {
  it('gets its input, and gives back its output, its errors apart and its exit status', async () => {
    const { code, stdout, stderr } = await ssh('cat; echo trouble >&2; exit 7', 'from the client')
    expect({ code, stdout: stdout.toString(), stderr }).toEqual({
      code: 7,
      stdout: 'from the client',
      stderr: 'trouble\n',
    })
  })

  it('has what a login sets and the language of the client, and nothing else of the client', async () => {
    const flags = ['-o', 'SetEnv=LC_ALL=C.UTF-8 LD_PRELOAD=/tmp/evil.so']
    const { stdout } = await ssh('echo "$USER $HOME $LC_ALL [$LD_PRELOAD] $PWD"', '', ...flags)
    expect(stdout.toString()).toBe('developer /home/developer C.UTF-8 [] /home/developer\n')
  })

  // The next test has more output than any buffer holds.
  longIt('loses no byte of more input than any buffer holds', async () => {
    const input = randomBytes(9_000_000)
    const { stdout } = await ssh('cat', input)
    expect(stdout.equals(input)).toBe(true)
  })

  it('loses no byte where both outputs wait for the client', async () => {
    const bytes = 6_000_000
    const print = (letter: string) => `head -c ${bytes} /dev/zero | tr '\\0' ${letter}`
    const { stdout, stderr } = await ssh(`${print('a')} & ${print('b')} >&2; wait`)
    expect(stdout.equals(Buffer.alloc(bytes, 'a'))).toBe(true)
    expect(stderr === 'b'.repeat(bytes)).toBe(true)
  })

  it('has a terminal where the client asks for one', async () => {
    const { code, stdout } = await mine().run('ssh', [...mine().options, '-tt', WORKER], {
      input: 'stty size; echo "term=$TERM"; tty; exit 3\n',
      env: { TERM: 'xterm-256color' },
    })
    expect(stdout.toString()).toMatch(/24 80\r\nterm=xterm-256color\r\n\/dev\/pts\/\d+\r\n/)
    expect(code).toBe(3)
  })

  it('is a shell that reads a script, as an editor starts one, beside another on the same connection', async () => {
    const socket = ['-o', `ControlPath=${join(mine().folder, 'master')}`]
    const master = mine().start('ssh', ...mine().options, ...socket, '-M', '-T', WORKER)
    master.stdin.write('echo first; read -r line; echo "read $line"; exit 5\n')
    await once(master.stdout, 'data')
    const beside = await ssh('echo beside', '', ...socket)
    expect(beside.stdout.toString()).toBe('beside\n')
    const rest = text(master.stdout)
    master.stdin.end('more\n')
    expect(await rest).toBe('read more\n')
    expect(master.exitCode ?? ((await once(master, 'exit')) as [number])[0]).toBe(5)
  })

  it('gets the size of the window of the client, and its signals', async () => {
    const client = await connect()
    const open = (line: string, pty: ExecOptions) =>
      new Promise<ClientChannel>((resolve, reject) =>
        client.exec(line, pty, (error, channel) => (error ? reject(error) : resolve(channel))),
      )
    const sized = await open('read -r go; stty size', { pty: { cols: 100, rows: 30 } })
    sized.setWindow(41, 132, 0, 0)
    sized.write('\n')
    expect(await text(sized)).toMatch(/^\s*41 132\s*$/)
    const signalled = await open('echo ready; exec sleep 100', {})
    await once(signalled, 'data')
    signalled.signal('TERM')
    const [code] = (await once(signalled, 'exit')) as [number]
    expect(code).toBe(143)
    client.end()
  })

  it('is recorded by its name, never with its arguments', async () => {
    await ssh('/bin/true --password=hunter2')
    const events = await auditOf(team(), team().admin)
    const started = events.find(({ action, detail }) => action === 'exec.started' && detail['program'] === 'true')
    expect(started).toMatchObject({
      actor: { email: team().owner.email, via: 'ssh_key' },
      target: { name: 'worker' },
      detail: { mode: 'ssh', relation: 'owner', terminal: false },
    })
    expect(JSON.stringify(events)).not.toContain('hunter2')
  })

  it('ends with its connection', async () => {
    const child = mine().start('ssh', ...mine().options, WORKER, 'exec sleep 4242')
    await expect.poll(() => exec('pgrep -fc "^sleep 4242" || true')).toBe('1\n')
    child.kill()
    await expect.poll(() => exec('pgrep -fc "^sleep 4242" || true')).toBe('0\n')
  })
})

describe('files over SSH', () => {
  const content = randomBytes(1_048_576)

  it('are copied there and back by sftp', async () => {
    const { options, folder, run } = mine()
    writeFileSync(join(folder, 'sent'), content)
    const batch = `put ${join(folder, 'sent')} by-sftp\nget by-sftp ${join(folder, 'back')}\n`
    const { code, stderr } = await run('sftp', [...options, '-b', '-', WORKER], { input: batch })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(readFileSync(join(folder, 'back')).equals(content)).toBe(true)
  })

  // Today’s scp speaks sftp, which the test before has.
  longIt('are copied by scp', async () => {
    const { options, folder, run } = mine()
    writeFileSync(join(folder, 'sent'), content)
    const { code } = await run('scp', [...options, join(folder, 'sent'), `${WORKER}:by-scp`])
    expect(code).toBe(0)
    const back = await ssh('cat by-scp')
    expect(back.stdout.equals(content)).toBe(true)
  })

  it('are kept alike by rsync', async () => {
    const { folder, command, run } = mine()
    mkdirSync(join(folder, 'tree/inner'), { recursive: true })
    for (const name of ['a', 'inner/b']) writeFileSync(join(folder, 'tree', name), content)
    const { code, stderr } = await run('rsync', ['-a', '-e', command, `${folder}/tree/`, `${WORKER}:tree/`])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const back = await run('rsync', ['-a', '-e', command, `${WORKER}:tree/`, `${folder}/copy/`])
    expect(back.code).toBe(0)
    expect(readFileSync(join(folder, 'copy/inner/b')).equals(content)).toBe(true)
  })

  it('are cloned by git', async () => {
    await exec('git init -q made && cd made && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m First')
    const { folder, command, run } = mine()
    const argv = ['clone', '-q', `ssh://${WORKER}/home/developer/made`, join(folder, 'cloned')]
    expect(await run('git', argv, { env: { GIT_SSH_COMMAND: command } })).toMatchObject({ code: 0, stderr: '' })
    const { stdout } = await run('git', ['-C', join(folder, 'cloned'), 'log', '--format=%s'])
    expect(stdout.toString()).toBe('First\n')
  })
})

describe('a forwarded port', () => {
  const APP = `require('http').createServer((q, s) => s.end('hello from ' + q.url)).listen(5173, '127.0.0.1')`

  it('leads to an app that listens on the loopback of the agent alone', async () => {
    // The exec goes on until the app listens, because its end would end a program that has no session of its own yet.
    const isUp = 'until : </dev/tcp/127.0.0.1/5173; do sleep 0.1; done'
    await exec(`setsid -f node -e "${APP}" >/dev/null 2>&1; bash -c '${isUp}' 2>/dev/null`)
    const port = await freePort()
    mine().start('ssh', ...mine().options, '-N', '-L', `127.0.0.1:${port}:localhost:5173`, WORKER)
    const get = async () => {
      try {
        return await (await fetch(`http://127.0.0.1:${port}/page`)).text()
      } catch {
        return null
      }
    }
    await expect.poll(get).toBe('hello from /page')
  })

  it('is one of a bounded number of channels', async () => {
    const client = await connect()
    const forward = () =>
      new Promise<string>((resolve) =>
        client.forwardOut('127.0.0.1', 1, 'localhost', 5173, (error) => resolve(error?.message ?? 'open')),
      )
    const answers = await Promise.all(Array.from({ length: CHANNELS_PER_CONNECTION + 1 }, forward))
    expect(answers.filter((said) => said === 'open')).toHaveLength(CHANNELS_PER_CONNECTION)
    expect(answers.at(-1)).toContain(`a connection has at most ${CHANNELS_PER_CONNECTION} channels`)
    client.end()
  })

  it('leads nowhere else, and the client says why', async () => {
    for (const target of ['example.org:80', '169.254.169.254:80', '10.208.0.1:4700']) {
      const { code, stderr } = await mine().run('ssh', [...mine().options, '-W', target, WORKER])
      expect(code).not.toBe(0)
      expect(stderr).toContain('administratively prohibited: only ports of the agent itself are forwarded')
    }
    const closed = await mine().run('ssh', [...mine().options, '-W', 'localhost:9', WORKER])
    expect(closed.stderr).toContain('port 9 of the agent could not be reached')
  })

  it('is never opened on the side of the server', async () => {
    const flags = ['-o', 'ExitOnForwardFailure=yes', '-R', '0:localhost:80']
    const { code, stderr } = await ssh('true', '', ...flags)
    expect(code).not.toBe(0)
    expect(stderr).toContain('remote port forwarding failed')
  })
})

describe('a connection over SSH', () => {
  /** Starts a program of a colleague, and waits until it runs. */
  const sleeping = async (seconds: number) => {
    const child = theirs().start('ssh', ...theirs().options, WORKER, `exec sleep ${seconds}`)
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    const closed = once(child, 'close') as Promise<[number | null]>
    await expect.poll(() => exec(`pgrep -fc "^sleep ${seconds}" || true`)).toBe('1\n')
    return { over: async () => ({ code: (await closed)[0], stderr }) }
  }

  it('ends with the share by which it is open, and so do its programs', async () => {
    keys.add(team().colleague.id, theirs().publicKey)
    await share()
    const { over } = await sleeping(4243)
    await owner(`DELETE /agents/worker/shares/${team().colleague.id}`)
    expect(await over()).toEqual({ code: 255, stderr: expect.stringContaining('no longer shared with you') as string })
    await expect.poll(() => exec('pgrep -fc "^sleep 4243" || true')).toBe('0\n')
  })

  // `door/door.test.ts` ends a connection whose key is removed.
  longIt('ends with its key', async () => {
    const id = keys.add(team().colleague.id, theirs().publicKey)
    await share()
    const { over } = await sleeping(4244)
    keys.remove(id)
    expect(await over()).toEqual({ code: 255, stderr: expect.stringContaining(KEY_REMOVED) as string })
    await owner(`DELETE /agents/worker/shares/${team().colleague.id}`)
  })

  it('gets the same answer for an agent of others, for none, and for a wrong key', async () => {
    const ask = async (agent: string) => {
      const { code, stderr } = await theirs().run('ssh', [...theirs().options, `${agent}@agents`, 'true'])
      return { code, stderr: stderr.replaceAll(agent, 'it') }
    }
    const wrongKey = await ask('worker')
    expect(wrongKey).toEqual({ code: 255, stderr: 'it@127.0.0.1: Permission denied (publickey).\r\n' })
    const id = keys.add(team().colleague.id, theirs().publicKey)
    expect(await ask('worker')).toEqual(wrongKey)
    expect(await ask('nothing')).toEqual(wrongKey)
    expect(await ask('system')).toEqual(wrongKey)
    keys.remove(id)
  })

  it('to an agent that is stopped says so', async () => {
    await owner('POST /agents/worker/stop?wait=true')
    const { code, stderr } = await ssh('true')
    expect(code).toBe(255)
    expect(stderr).toContain("Agent 'worker' is not running")
  })
})
