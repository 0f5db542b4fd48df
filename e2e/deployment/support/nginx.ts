/** An nginx with the configuration from docs/operating/operations.md, in front of a platform of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isListening, until } from '@slipway/testing'
import { mustRun } from './command.ts'

const DOCUMENT = join(import.meta.dirname, '../../../docs/operating/operations.md')
/**
 * Time between two pings of the platform, and the read timeout in place of the documented one, in seconds: a test must not
 * take minutes. A client has the time between two pings to answer, and a ping may come as late as the rest of the timeout.
 */
export const PING_SECONDS = 4
const READ_TIMEOUT_SECONDS = 8

export interface Proxy {
  /** Certificate authority of its certificate, which is self-signed. */
  readonly ca: string
  readonly timeoutMs: number
  stop(): Promise<void>
}

/** The documented configuration. */
const documented = (): string => {
  const block = /```nginx\n([\s\S]*?)```/.exec(readFileSync(DOCUMENT, 'utf8'))?.[1]
  if (!block) throw new Error('docs/operating/operations.md has no lines for nginx')
  return block
}

/** Replaces the values that a reader has to adapt. Each must occur. */
const adapt = (lines: string, changes: Readonly<Record<string, string>>): string =>
  Object.entries(changes).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the documented lines do not have: ${from}`)
    return text.replaceAll(from, to)
  }, lines)

/**
 * Starts it in front of 127.0.0.1:`backendPort`. It listens on `port` as `localhost`, and on `plainPort` without TLS.
 */
export const startNginx = async (ports: {
  readonly port: number
  readonly plainPort: number
  readonly backendPort: number
}): Promise<Proxy> => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-nginx-'))
  const [certificate, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  await mustRun([
    ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', certificate],
  ])
  const site = adapt(documented(), {
    'listen 443': `listen 127.0.0.1:${ports.port}`,
    'listen 80': `listen 127.0.0.1:${ports.plainPort}`,
    'slipway.example.org': 'localhost',
    '/etc/ssl/slipway/fullchain.pem': certificate,
    '/etc/ssl/slipway/privkey.pem': key,
    'http://127.0.0.1:4700': `http://127.0.0.1:${ports.backendPort}`,
    'proxy_read_timeout 1h': `proxy_read_timeout ${READ_TIMEOUT_SECONDS}s`,
  })
  mkdirSync(join(folder, 'temp'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/temp/${name};`)
    .join(' ')
  const main = `daemon off; pid ${folder}/pid; error_log stderr warn; worker_processes 1; events {}
    http { access_log off; ${temporary}\n${site}\n}`
  writeFileSync(join(folder, 'nginx.conf'), main)
  const child: ChildProcess = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'pipe' })
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await until('nginx', async () => {
    if (child.exitCode !== null) throw new Error(`nginx ended:\n${said}`)
    return isListening(ports.port)
  })
  return {
    ca: readFileSync(certificate, 'utf8'),
    timeoutMs: READ_TIMEOUT_SECONDS * 1000,
    stop: async () => {
      child.kill('SIGQUIT')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
