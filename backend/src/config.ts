/** The environment, read once into one frozen object. Every variable that the server knows is documented here. */
import { cpus, homedir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { MEMORY_MB_MIN, RUN_TIMEOUT_SECONDS_MAX, TASKS_PER_AGENT_MAX } from '@slipway/protocol'
import {
  type Admin,
  type Env,
  type LogLevel,
  previousKeyFrom,
  readAdmin,
  readDatabaseUrl,
  readImages,
  readLogLevel,
  readNamespace,
  readDomain,
  readNumber,
  readPool,
  readPrivateHosts,
  readProxies,
  readDiscord,
  readPublicUrl,
  readSmtp,
  reader,
  secretKeyFrom,
  withSecretFiles,
} from './config-values.ts'
import { MINUTE_MS, SECOND_MS } from './lib/time/clock.ts'
import { PING_INTERVAL_MS } from './plugins/liveness.ts'
import { localOrigins } from './addresses.ts'
import type { DiscordConfig } from './modules/channels/discord/discord.ts'
import type { SmtpConfig } from './modules/channels/mail/smtp-url.ts'
import { DEFAULT_POOL } from './runtime/docker/container/subnets.ts'

/** What the server runs with. */
export interface Config {
  /**
   * `SLIPWAY_HOST` (127.0.0.1): the address to listen on. Connections from the agents' network are dropped on any
   * address.
   */
  readonly host: string
  /** `SLIPWAY_PORT` (4700): the TCP port; 0 takes any free one. */
  readonly port: number
  /**
   * `SLIPWAY_SSH_HOST` (that of `SLIPWAY_HOST`): the address of the SSH server, which no HTTP proxy stands in front of.
   */
  readonly sshHost: string
  /** `SLIPWAY_SSH_PORT` (none): the TCP port of the SSH server for editors; 0 takes any free one. */
  readonly sshPort: number | null
  /** `SLIPWAY_DATA_DIR` (`~/.slipway`): the embedded database and the secret key live here. */
  readonly dataDir: string
  /**
   * `SLIPWAY_DATABASE_URL`: `postgresql://…`; its password may be in `SLIPWAY_DATABASE_PASSWORD` instead. Null stands
   * for the embedded database in the data folder.
   */
  readonly databaseUrl: string | null
  /**
   * `SLIPWAY_SECRET_KEY`: at least 32 characters; all other keys are derived from it. Without it, `secret.key` in the
   * data folder.
   */
  readonly secretKey: Uint8Array
  /**
   * `SLIPWAY_PREVIOUS_SECRET_KEY`: the secret key before a rotation that is not finished. Without it,
   * `secret.key.previous`.
   */
  readonly previousSecretKey: Uint8Array | null
  /**
   * `SLIPWAY_ADMIN_EMAIL`, `SLIPWAY_ADMIN_PASSWORD`: create the first admin at an unattended first start; ignored
   * later.
   */
  readonly admin: Admin | null
  /** `SLIPWAY_PUBLIC_URL`: the origin under which browsers reach the server, such as `https://slipway.example.org`. */
  readonly publicUrl: string | null
  /**
   * The origins whose pages may open sockets and use the cookie, given the port that the server listens on. Compared
   * exactly.
   */
  readonly originsFor: (port: number) => readonly string[]
  /** Whether the browser sends the refresh cookie over https only: true where the public URL is https. */
  readonly secureCookie: boolean
  /**
   * `SLIPWAY_PORTS_DOMAIN`: the apps of agents are below it, such as `5173--atlas.apps.example.org`; all of its names must lead
   * to this server, with the scheme and the port of the public URL. Null: below `localhost`.
   */
  readonly portsDomain: string | null
  /** `SLIPWAY_PORTS_MB_PER_SECOND` (128): most MiB that all ports of one agent carry in a second, each way. */
  readonly portsBytesPerSecond: number
  /**
   * `SLIPWAY_TRUSTED_PROXIES`: comma-separated addresses or networks whose `X-Forwarded-For` the server believes; none
   * by default.
   */
  readonly trustedProxies: readonly string[]
  /** `SLIPWAY_PING_SECONDS` (15): how often a socket is pinged; less for a proxy that closes a silent one sooner. */
  readonly pingIntervalMs: number
  /** `SLIPWAY_NAMESPACE` (`slipway`): prefix of containers, volumes and networks. */
  readonly namespace: string
  /** `SLIPWAY_AGENT_SUBNETS` (10.208.0.0/13): the range from which the agents' network takes its subnet, a /20. */
  readonly agentSubnets: string
  /** `SLIPWAY_IMAGES` (`slipway-developer:latest`): comma-separated images for agents; the first is the default. */
  readonly images: readonly [string, ...string[]]
  /** `SLIPWAY_MAX_CPUS` (this machine's): most CPUs that one agent may have. */
  readonly maxCpus: number
  /** `SLIPWAY_MAX_MEMORY_MB` (this machine's): most memory that one agent may have, in MiB. */
  readonly maxMemoryMb: number
  /**
   * `SLIPWAY_PRIVATE_GATEWAYS`: comma-separated hosts, addresses or networks. They are not public, but the test of a
   * credential may contact them.
   */
  readonly privateGateways: readonly string[]
  /** `SLIPWAY_WEBHOOK_HOSTS`: the same for the webhooks of users. */
  readonly webhookHosts: readonly string[]
  /** `SLIPWAY_PUSH_HOSTS`: the same for the push services of browsers. */
  readonly pushHosts: readonly string[]
  /**
   * `SLIPWAY_SMTP_URL`: `smtp://` or `smtps://`, with the user and the password; `SLIPWAY_MAIL_FROM`: the sender. Null:
   * the server sends no mail.
   */
  readonly smtp: SmtpConfig | null
  /**
   * `SLIPWAY_DISCORD_TOKEN`: the token of a bot; `SLIPWAY_DISCORD_API` (`https://discord.com/api`): where its API is. Null:
   * the server has no bot.
   */
  readonly discord: DiscordConfig | null
  /**
   * `SLIPWAY_DISK_LIMIT_GB` (50): an agent that uses this many GiB of disk is stopped; null, written 0, for no limit.
   */
  readonly diskLimitBytes: number | null
  /**
   * `SLIPWAY_RECORDINGS_DAYS` (30): recordings are deleted this many days after their end; null, written 0, for never.
   */
  readonly recordingsDays: number | null
  /** `SLIPWAY_RECORDINGS_MAX_GB` (10): most GiB for all recordings; beyond it the oldest are deleted. */
  readonly recordingsBytes: number
  /** `SLIPWAY_RECORDING_MAX_MB` (128): a recording ends at this many MiB; its session continues. */
  readonly recordingBytes: number
  /**
   * `SLIPWAY_TRANSCRIPTS_DAYS` (90): the transcript of a task is removed this many days after its end; null, written 0,
   * for never.
   */
  readonly transcriptsDays: number | null
  /** `SLIPWAY_TRANSCRIPTS_MAX_GB` (10): most GiB for all transcripts; beyond it the oldest are removed. */
  readonly transcriptsBytes: number
  /** `SLIPWAY_MAX_TASKS` (50): tasks that may run at the same time on this server. */
  readonly maxTasks: number
  /** `SLIPWAY_MAX_TASKS_PER_AGENT` (10): the same for one agent, over all of its users. */
  readonly maxTasksPerAgent: number
  /** `SLIPWAY_TASK_STALL_MINUTES` (15): a task that prints nothing and uses no CPU for so long is ended. */
  readonly taskStallMs: number
  /** `SLIPWAY_STATIC_DIR` (`frontend/dist`): the built front end. */
  readonly staticDir: string
  /** `SLIPWAY_LOG_LEVEL` (`info`): how much is logged, `trace` to `silent`. */
  readonly logLevel: LogLevel
}

const PORT = { min: 0, max: 65_535, whole: true } as const
/** The default is the maximum: a page considers a server lost that is silent for longer than two pings. */
const PING_SECONDS = { default: PING_INTERVAL_MS / SECOND_MS, min: 1, max: PING_INTERVAL_MS / SECOND_MS } as const

/**
 * Longer than any CLI waits for its model or for a command before it says so. At the maximum no task is ended, because no
 * task runs longer. See ADR 48.
 */
const STALL_MINUTES = { default: 15, min: 0.05, max: (RUN_TIMEOUT_SECONDS_MAX * SECOND_MS) / MINUTE_MS } as const

/**
 * Reads and checks the environment. Creates the data folder and the file of the secret key where they are missing.
 * Throws a `ConfigError`.
 */
export function loadConfig(environment: Env): Config {
  const env = withSecretFiles(environment)
  const read = reader(env)
  const dataDir = resolve(read('SLIPWAY_DATA_DIR') ?? join(homedir(), '.slipway'))
  const publicUrl = readPublicUrl(read('SLIPWAY_PUBLIC_URL'))
  const host = read('SLIPWAY_HOST') ?? '127.0.0.1'
  return Object.freeze({
    host,
    port: readNumber(read, 'SLIPWAY_PORT', { default: 4700, ...PORT }),
    sshHost: read('SLIPWAY_SSH_HOST') ?? host,
    sshPort:
      read('SLIPWAY_SSH_PORT') === undefined ? null : readNumber(read, 'SLIPWAY_SSH_PORT', { default: 0, ...PORT }),
    dataDir,
    databaseUrl: readDatabaseUrl(read('SLIPWAY_DATABASE_URL'), env['SLIPWAY_DATABASE_PASSWORD'] || undefined),
    secretKey: secretKeyFrom(read('SLIPWAY_SECRET_KEY'), dataDir),
    previousSecretKey: previousKeyFrom(read('SLIPWAY_PREVIOUS_SECRET_KEY'), read('SLIPWAY_SECRET_KEY'), dataDir),
    admin: readAdmin(read('SLIPWAY_ADMIN_EMAIL'), env['SLIPWAY_ADMIN_PASSWORD'] || undefined),
    publicUrl,
    originsFor: (port: number) => Object.freeze(publicUrl ? [publicUrl] : localOrigins(host, port)),
    secureCookie: publicUrl?.startsWith('https:') ?? false,
    portsDomain: readDomain(read('SLIPWAY_PORTS_DOMAIN'), publicUrl),
    portsBytesPerSecond:
      readNumber(read, 'SLIPWAY_PORTS_MB_PER_SECOND', { default: 128, min: 0.1, max: 1_048_576 }) * 2 ** 20,
    trustedProxies: readProxies(read('SLIPWAY_TRUSTED_PROXIES')),
    pingIntervalMs: readNumber(read, 'SLIPWAY_PING_SECONDS', PING_SECONDS) * SECOND_MS,
    namespace: readNamespace(read('SLIPWAY_NAMESPACE') ?? 'slipway'),
    agentSubnets: readPool(read('SLIPWAY_AGENT_SUBNETS') ?? DEFAULT_POOL),
    images: readImages(read('SLIPWAY_IMAGES') ?? 'slipway-developer:latest'),
    maxCpus: readNumber(read, 'SLIPWAY_MAX_CPUS', { default: cpus().length, min: 0.1, max: 1024 }),
    maxMemoryMb: readNumber(read, 'SLIPWAY_MAX_MEMORY_MB', {
      default: Math.floor(totalmem() / 2 ** 20),
      min: MEMORY_MB_MIN,
      max: 4_194_304,
      whole: true,
    }),
    privateGateways: readPrivateHosts('SLIPWAY_PRIVATE_GATEWAYS', read('SLIPWAY_PRIVATE_GATEWAYS')),
    webhookHosts: readPrivateHosts('SLIPWAY_WEBHOOK_HOSTS', read('SLIPWAY_WEBHOOK_HOSTS')),
    pushHosts: readPrivateHosts('SLIPWAY_PUSH_HOSTS', read('SLIPWAY_PUSH_HOSTS')),
    smtp: readSmtp(env['SLIPWAY_SMTP_URL'] || undefined, read('SLIPWAY_MAIL_FROM')),
    discord: readDiscord(env['SLIPWAY_DISCORD_TOKEN'] || undefined, read('SLIPWAY_DISCORD_API')),
    diskLimitBytes:
      readNumber(read, 'SLIPWAY_DISK_LIMIT_GB', { default: 50, min: 0, max: 1_048_576 }) * 2 ** 30 || null,
    recordingsDays: readNumber(read, 'SLIPWAY_RECORDINGS_DAYS', { default: 30, min: 0, max: 36_500 }) || null,
    recordingsBytes:
      readNumber(read, 'SLIPWAY_RECORDINGS_MAX_GB', { default: 10, min: 0.001, max: 1_048_576 }) * 2 ** 30,
    recordingBytes: readNumber(read, 'SLIPWAY_RECORDING_MAX_MB', { default: 128, min: 0.01, max: 400 }) * 2 ** 20,
    transcriptsDays: readNumber(read, 'SLIPWAY_TRANSCRIPTS_DAYS', { default: 90, min: 0, max: 36_500 }) || null,
    transcriptsBytes:
      readNumber(read, 'SLIPWAY_TRANSCRIPTS_MAX_GB', { default: 10, min: 0.001, max: 1_048_576 }) * 2 ** 30,
    maxTasks: readNumber(read, 'SLIPWAY_MAX_TASKS', { default: 50, min: 1, max: 10_000, whole: true }),
    taskStallMs: readNumber(read, 'SLIPWAY_TASK_STALL_MINUTES', STALL_MINUTES) * MINUTE_MS,
    maxTasksPerAgent: readNumber(read, 'SLIPWAY_MAX_TASKS_PER_AGENT', {
      ...{ default: 10, min: 1, max: TASKS_PER_AGENT_MAX, whole: true },
    }),
    staticDir: resolve(read('SLIPWAY_STATIC_DIR') ?? join(import.meta.dirname, '../../frontend/dist')),
    logLevel: readLogLevel(read('SLIPWAY_LOG_LEVEL') ?? 'info'),
  })
}
