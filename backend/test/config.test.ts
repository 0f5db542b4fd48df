import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cpus, homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigError } from '../src/config-values.ts'
import { loadConfig } from '../src/config.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slipway-config-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

const SECRET = 'x'.repeat(32)
const load = (env: Record<string, string> = {}) => loadConfig({ SLIPWAY_SECRET_KEY: SECRET, ...env })

describe('the configuration', () => {
  it('needs nothing', () => {
    const config = load()
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 4700,
      sshHost: '127.0.0.1',
      sshPort: null,
      dataDir: join(homedir(), '.slipway'),
      databaseUrl: null,
      admin: null,
      publicUrl: null,
      secureCookie: false,
      pingIntervalMs: 15_000,
      namespace: 'slipway',
      images: ['slipway-developer:latest'],
      maxCpus: cpus().length,
      recordingsDays: 30,
      recordingsBytes: 10 * 2 ** 30,
      transcriptsDays: 90,
      transcriptsBytes: 10 * 2 ** 30,
      recordingBytes: 128 * 2 ** 20,
      maxTasks: 50,
      maxTasksPerAgent: 10,
      taskStallMs: 15 * 60_000,
      logLevel: 'info',
    })
    expect(Object.isFrozen(config)).toBe(true)
    expect(config.originsFor(5000)).toEqual([
      'http://slipway.localhost:5000',
      'http://127.0.0.1:5000',
      'http://localhost:5000',
    ])
  })

  it('takes what is set, and an empty variable for one that is not', () => {
    const config = load({
      SLIPWAY_PORT: '0',
      SLIPWAY_SSH_HOST: '0.0.0.0',
      SLIPWAY_SSH_PORT: '4722',
      SLIPWAY_PUBLIC_URL: 'https://slipway.example.org/',
      SLIPWAY_IMAGES: 'a:1, registry.example.org/b@sha256:00',
      SLIPWAY_DATABASE_URL: 'postgresql://localhost/x',
      SLIPWAY_NAMESPACE: '',
      SLIPWAY_TRUSTED_PROXIES: '10.0.0.1, 10.1.0.0/16',
      SLIPWAY_ADMIN_EMAIL: 'ops@example.org',
      SLIPWAY_ADMIN_PASSWORD: ' with blanks around ',
    })
    expect(config).toMatchObject({
      host: '127.0.0.1',
      sshHost: '0.0.0.0',
      port: 0,
      sshPort: 4722,
      publicUrl: 'https://slipway.example.org',
      secureCookie: true,
      images: ['a:1', 'registry.example.org/b@sha256:00'],
      namespace: 'slipway',
      trustedProxies: ['10.0.0.1', '10.1.0.0/16'],
      admin: { email: 'ops@example.org', password: ' with blanks around ' },
    })
    expect(config.originsFor(4700)).toEqual(['https://slipway.example.org'])
  })

  it('takes secrets from files, and a password apart from the address that it belongs to', () => {
    const file = (name: string, content: string): string => {
      writeFileSync(join(dir, name), content)
      return join(dir, name)
    }
    const password = 'p@ss/w%20rd: ?'
    const config = loadConfig({
      SLIPWAY_SECRET_KEY_FILE: file('key', `${SECRET}\n`),
      SLIPWAY_DATABASE_URL: 'postgresql://slipway@database/slipway',
      SLIPWAY_DATABASE_PASSWORD_FILE: file('password', `${password}\n`),
      SLIPWAY_ADMIN_EMAIL: 'ops@example.org',
      SLIPWAY_ADMIN_PASSWORD_FILE: file('admin', 'correct horse battery'),
    })
    expect(new TextDecoder().decode(config.secretKey)).toBe(SECRET)
    expect(decodeURIComponent(new URL(config.databaseUrl ?? '').password)).toBe(password)
    expect(config.admin?.password).toBe('correct horse battery')
  })

  it.each([
    [{ SLIPWAY_SECRET_KEY_FILE: '/nonexistent' }, 'SLIPWAY_SECRET_KEY_FILE names a file that cannot be read'],
    [{ SLIPWAY_SECRET_KEY_FILE: '/dev/null' }, 'SLIPWAY_SECRET_KEY_FILE names a file that is empty'],
    [{ SLIPWAY_SECRET_KEY: SECRET, SLIPWAY_SECRET_KEY_FILE: '/dev/null' }, 'must not both be given'],
    [{ SLIPWAY_SECRET_KEY: SECRET, SLIPWAY_DATABASE_PASSWORD: 'x' }, 'SLIPWAY_DATABASE_URL, which is not set'],
    [{ SLIPWAY_SECRET_KEY: SECRET, SLIPWAY_TRUSTED_PROXIES: '10.0.0.0/33' }, 'SLIPWAY_TRUSTED_PROXIES'],
    [{ SLIPWAY_SECRET_KEY: SECRET, SLIPWAY_TRUSTED_PROXIES: 'proxy.example.org' }, 'SLIPWAY_TRUSTED_PROXIES'],
  ])('refuses %o', (env, message) => {
    expect(() => loadConfig(env)).toThrow(ConfigError)
    expect(() => loadConfig(env)).toThrow(message)
  })

  it.each([
    ['SLIPWAY_PING_SECONDS', '1', { pingIntervalMs: 1_000 }],
    ['SLIPWAY_PING_SECONDS', '2.5', { pingIntervalMs: 2_500 }],
    ['SLIPWAY_TRANSCRIPTS_DAYS', '0', { transcriptsDays: null }],
    ['SLIPWAY_TRANSCRIPTS_MAX_GB', '0.001', { transcriptsBytes: 0.001 * 2 ** 30 }],
    ['SLIPWAY_RECORDINGS_DAYS', '0', { recordingsDays: null }],
    ['SLIPWAY_RECORDINGS_DAYS', '0.5', { recordingsDays: 0.5 }],
    ['SLIPWAY_RECORDINGS_DAYS', '36500', { recordingsDays: 36_500 }],
    ['SLIPWAY_RECORDINGS_MAX_GB', '0.001', { recordingsBytes: 0.001 * 2 ** 30 }],
    ['SLIPWAY_RECORDINGS_MAX_GB', '1048576', { recordingsBytes: 2 ** 50 }],
    ['SLIPWAY_PORTS_MB_PER_SECOND', '0.5', { portsBytesPerSecond: 2 ** 19 }],
    ['SLIPWAY_MAX_TASKS', '1', { maxTasks: 1 }],
    ['SLIPWAY_MAX_TASKS_PER_AGENT', '1000', { maxTasksPerAgent: 1000 }],
    ['SLIPWAY_TASK_STALL_MINUTES', '0.05', { taskStallMs: 3_000 }],
    ['SLIPWAY_TASK_STALL_MINUTES', '30', { taskStallMs: 30 * 60_000 }],
    ['SLIPWAY_WEBHOOK_HOSTS', 'hooks.internal, 10.0.5.0/24', { webhookHosts: ['hooks.internal', '10.0.5.0/24'] }],
    ['SLIPWAY_PUSH_HOSTS', 'push.internal', { pushHosts: ['push.internal'] }],
    ['SLIPWAY_RECORDING_MAX_MB', '0.01', { recordingBytes: 0.01 * 2 ** 20 }],
    ['SLIPWAY_RECORDING_MAX_MB', '400', { recordingBytes: 400 * 2 ** 20 }],
  ])('takes %s=%s', (name, value, means) => {
    expect(load({ [name]: value })).toMatchObject(means)
  })

  it.each([
    ['SLIPWAY_PORT', '70000'],
    ['SLIPWAY_PORT', '1.5'],
    ['SLIPWAY_PORT', 'http'],
    ['SLIPWAY_SSH_PORT', '70000'],
    ['SLIPWAY_PING_SECONDS', '0'],
    ['SLIPWAY_PING_SECONDS', '16'],
    ['SLIPWAY_PUBLIC_URL', 'slipway.example.org'],
    ['SLIPWAY_PUBLIC_URL', 'https://example.org/slipway'],
    ['SLIPWAY_PUBLIC_URL', 'ftp://example.org'],
    ['SLIPWAY_NAMESPACE', 'Slipway'],
    ['SLIPWAY_NAMESPACE', '-x'],
    ['SLIPWAY_AGENT_SUBNETS', '10.208.0.0'],
    ['SLIPWAY_AGENT_SUBNETS', '10.208.0.1/13'],
    ['SLIPWAY_AGENT_SUBNETS', '10.208.0.0/24'],
    ['SLIPWAY_IMAGES', ','],
    ['SLIPWAY_IMAGES', '--privileged'],
    ['SLIPWAY_MAX_CPUS', '0'],
    ['SLIPWAY_MAX_MEMORY_MB', '10'],
    ['SLIPWAY_RECORDINGS_DAYS', '-1'],
    ['SLIPWAY_RECORDINGS_DAYS', '36501'],
    ['SLIPWAY_RECORDINGS_DAYS', 'never'],
    ['SLIPWAY_WEBHOOK_HOSTS', 'http://hooks.internal'],
    ['SLIPWAY_WEBHOOK_HOSTS', '10.0.0.0/33'],
    ['SLIPWAY_PUSH_HOSTS', 'https://push.internal'],
    ['SLIPWAY_SMTP_URL', 'smtp://mail.example.org'],
    ['SLIPWAY_MAIL_FROM', 'slipway@example.org'],
    ['SLIPWAY_DISCORD_TOKEN', 'canary'],
    ['SLIPWAY_DISCORD_API', 'discord.example.org'],
    // Zero would keep nothing, or record nothing. Recording is switched off in the agent's settings.
    ['SLIPWAY_RECORDINGS_MAX_GB', '0'],
    ['SLIPWAY_RECORDINGS_MAX_GB', '1048577'],
    ['SLIPWAY_PORTS_MB_PER_SECOND', '0'],
    ['SLIPWAY_MAX_TASKS', '0'],
    ['SLIPWAY_MAX_TASKS_PER_AGENT', '1.5'],
    ['SLIPWAY_TASK_STALL_MINUTES', '0'],
    ['SLIPWAY_TASK_STALL_MINUTES', '31'],
    ['SLIPWAY_RECORDING_MAX_MB', '0'],
    // More than a browser can read.
    ['SLIPWAY_RECORDING_MAX_MB', '401'],
    ['SLIPWAY_LOG_LEVEL', 'loud'],
    ['SLIPWAY_DATABASE_URL', 'mysql://user:canary@host/x'],
    ['SLIPWAY_SECRET_KEY', 'canary'],
    ['SLIPWAY_ADMIN_EMAIL', 'ops@example.org'],
    ['SLIPWAY_ADMIN_PASSWORD', 'canary-canary'],
  ])('refuses %s=%s by name and keeps the value to itself', (name, value) => {
    const attempt = () => load({ [name]: value })
    expect(attempt).toThrow(ConfigError)
    expect(attempt).toThrow(name)
    expect(attempt).not.toThrow('canary')
  })

  it('reads a mail server, and sends a password over TLS only', () => {
    const from = 'slipway@example.org'
    const smtp = (url: string) => load({ SLIPWAY_SMTP_URL: url, SLIPWAY_MAIL_FROM: from }).smtp
    const auth = { user: 'me@example.org', pass: 'p/w' }
    expect(smtp('smtp://me%40example.org:p%2Fw@mail.example.org')).toEqual({
      ...{ host: 'mail.example.org', port: 587, secure: false, requireTLS: true, auth, from },
    })
    expect(smtp('smtps://mail.example.org')).toMatchObject({ port: 465, secure: true, auth: undefined })
    expect(smtp('smtp://x:y@127.0.0.1:25')).toMatchObject({ port: 25, requireTLS: false })
    for (const url of ['http://x:canary@mail', 'smtp://x:canary@mail/path', 'smtp://x:canary@mail?tls=no', 'canary']) {
      expect(() => smtp(url), url).toThrow('SLIPWAY_SMTP_URL')
      expect(() => smtp(url), url).not.toThrow('canary')
    }
  })

  it('refuses a short admin password without repeating it', () => {
    const attempt = () => load({ SLIPWAY_ADMIN_EMAIL: 'ops@example.org', SLIPWAY_ADMIN_PASSWORD: 'canary' })
    expect(attempt).toThrow('SLIPWAY_ADMIN_PASSWORD')
    expect(attempt).not.toThrow('canary')
  })
})

describe('the secret key', () => {
  const loadFrom = () => loadConfig({ SLIPWAY_DATA_DIR: dir }).secretKey
  const file = () => join(dir, 'secret.key')

  it('is made once, for its owner alone, with nothing left beside it', () => {
    const first = loadFrom()
    expect(first.length).toBeGreaterThanOrEqual(32)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(readdirSync(dir)).toEqual(['secret.key'])
    expect(loadFrom()).toEqual(first)
  })

  it('is what the file says, without its line end', () => {
    writeFileSync(file(), `${SECRET}\n`, { mode: 0o600 })
    expect(new TextDecoder().decode(loadFrom())).toBe(SECRET)
  })

  it('is not taken from a file that others may read', () => {
    loadFrom()
    chmodSync(file(), 0o644)
    expect(loadFrom).toThrow('chmod 600')
  })

  it('is not taken from a file that was cut short, nor made anew over it', () => {
    writeFileSync(file(), 'short', { mode: 0o600 })
    expect(loadFrom).toThrow(ConfigError)
    expect(readFileSync(file(), 'utf8')).toBe('short')
  })
})
