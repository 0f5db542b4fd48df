/** OpenSSH's own programs, which connect to a server of a test. They read no configuration of the machine. */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { HOST_KEY_FILE } from '../../../src/modules/ssh/door/host-key.ts'

/** What a program has done. */
export interface Ran {
  readonly code: number | null
  readonly stdout: Buffer
  readonly stderr: string
}

/** A person's side: a folder with a pair of keys and the configuration of the client. */
export interface OpenSsh {
  readonly folder: string
  /** The line of the public key. */
  readonly publicKey: string
  /** For programs that start `ssh` themselves. */
  readonly command: string
  /** The arguments of `ssh`, `scp` and `sftp` before all others. */
  readonly options: readonly string[]
  /** Starts a program. It is killed after the tests. */
  start(program: string, ...args: readonly string[]): ChildProcessWithoutNullStreams
  /** Runs one to its end. */
  run(
    program: string,
    args: readonly string[],
    how?: { input?: string | Buffer; env?: NodeJS.ProcessEnv },
  ): Promise<Ran>
}

/** A server of SSH with the key of its data folder. */
interface Server {
  readonly dataDir: string
  sshPort(): number | null
}

/** The side of one person for a test file. The host name `agents` is the server. */
export const useOpenSsh = (server: () => Server): (() => OpenSsh) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-test-ssh-'))
  const running = new Set<ChildProcessWithoutNullStreams>()
  let made: OpenSsh | undefined
  beforeAll(() => {
    made = openSsh(server(), folder, running)
  })
  afterAll(() => {
    for (const child of running) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  return () => made!
}

const openSsh = (server: Server, folder: string, running: Set<ChildProcessWithoutNullStreams>): OpenSsh => {
  const path = (name: string): string => join(folder, name)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', path('key')])
  const port = server.sshPort()
  const hostKey = execFileSync('ssh-keygen', ['-y', '-f', join(server.dataDir, HOST_KEY_FILE)], { encoding: 'utf8' })
  writeFileSync(path('known_hosts'), `[127.0.0.1]:${port} ${hostKey}`)
  const settings = [
    'Host agents',
    'HostName 127.0.0.1',
    `Port ${port}`,
    `IdentityFile ${path('key')}`,
    `UserKnownHostsFile ${path('known_hosts')}`,
    'GlobalKnownHostsFile /dev/null',
    'StrictHostKeyChecking yes',
    'IdentitiesOnly yes',
    'BatchMode yes',
  ]
  writeFileSync(path('config'), `${settings.join('\n')}\n`)
  const options = ['-F', path('config')]
  const start = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const { SSH_AUTH_SOCK: _agent, ...own } = process.env
    const child = spawn(program, args, { env: { ...own, ...env } })
    running.add(child)
    child.once('close', () => running.delete(child))
    // A program that ends early does not read its input.
    child.stdin.on('error', () => undefined)
    return child
  }
  return {
    folder,
    publicKey: readFileSync(path('key.pub'), 'utf8').trim(),
    command: ['ssh', ...options].join(' '),
    options,
    start: (program, ...args) => start(program, args),
    run: async (program, args, { input = '', env } = {}) => {
      const child = start(program, args, env)
      const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []]
      child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
      child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
      child.stdin.end(input)
      const [code] = (await once(child, 'close')) as [number | null]
      return { code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() }
    },
  }
}
