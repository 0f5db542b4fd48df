/** The environment, read once into one frozen object. Every variable that the server knows is documented here. */
import { readFileSync } from 'node:fs'
import { cpus, homedir, totalmem } from 'node:os'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import proxyAddr from '@fastify/proxy-addr'
import { Email, MEMORY_MB_MIN, NewPassword } from '@slipway/protocol'
import { Check } from 'typebox/value'
import { SECOND_MS } from './lib/clock.ts'
import { PING_INTERVAL_MS } from './plugins/liveness.ts'
import { dataFolderSentence, folderFault } from './lib/folder-fault.ts'
import { localOrigins } from './addresses.ts'
import { DEFAULT_POOL, isPool, parseSubnet } from './runtime/docker/container/subnets.ts'
import { readPreviousSecretKey, readSecretKey } from './secret-key.ts'

/** The value of a variable cannot be used. The message names the variable and never repeats a secret's value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** How much is logged, from most to least. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** What the server runs with. */
export interface Config {
  /**
   * `SLIPWAY_HOST` (127.0.0.1): the address to listen on. Connections from the agents' network are dropped on any
   * address.
   */
  readonly host: string
  /** `SLIPWAY_PORT` (4700): the TCP port; 0 takes any free one. */
  readonly port: number
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
  readonly admin: { readonly email: string; readonly password: string } | null
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
   * `SLIPWAY_PRIVATE_GATEWAYS`: comma-separated hosts, addresses or networks that are not public and that a
   * credential's test may request all the same.
   */
  readonly privateGateways: readonly string[]
  /** `SLIPWAY_DISK_LIMIT_GB` (50): an agent with this many GiB on the disk is stopped; null, written 0, for no limit. */
  readonly diskLimitBytes: number | null
  /** `SLIPWAY_RECORDINGS_DAYS` (30): recordings are deleted so many days after their end; null, written 0, for never. */
  readonly recordingsDays: number | null
  /** `SLIPWAY_RECORDINGS_MAX_GB` (10): recordings may take so many GiB together; beyond it the oldest are deleted. */
  readonly recordingsBytes: number
  /** `SLIPWAY_RECORDING_MAX_MB` (128): one recording ends at so many MiB; its session continues. */
  readonly recordingBytes: number
  /** `SLIPWAY_STATIC_DIR` (`frontend/dist`): the built front end. */
  readonly staticDir: string
  /** `SLIPWAY_LOG_LEVEL` (`info`): one of {@link LOG_LEVELS}. */
  readonly logLevel: LogLevel
}

/**
 * Secrets may also be in a file, which the variable of the same name with `_FILE` names: container platforms mount them
 * so.
 */
const SECRETS = [
  'SLIPWAY_SECRET_KEY',
  'SLIPWAY_PREVIOUS_SECRET_KEY',
  'SLIPWAY_DATABASE_PASSWORD',
  'SLIPWAY_ADMIN_PASSWORD',
] as const

/** No more than by default: a page takes a server that is silent for longer than two pings for lost. */
const PING_SECONDS = { default: PING_INTERVAL_MS / SECOND_MS, min: 1, max: PING_INTERVAL_MS / SECOND_MS } as const

type Env = Readonly<Record<string, string | undefined>>

/**
 * Reads and checks the environment. Creates the data folder and the file of the secret key where they are missing.
 * Throws {@link ConfigError}.
 */
export function loadConfig(environment: Env): Config {
  const env = withSecretFiles(environment)
  const read = reader(env)
  const dataDir = resolve(read('SLIPWAY_DATA_DIR') ?? join(homedir(), '.slipway'))
  const publicUrl = readPublicUrl(read('SLIPWAY_PUBLIC_URL'))
  const host = read('SLIPWAY_HOST') ?? '127.0.0.1'
  return Object.freeze({
    host,
    port: readNumber(read, 'SLIPWAY_PORT', { default: 4700, min: 0, max: 65_535, whole: true }),
    dataDir,
    databaseUrl: readDatabaseUrl(read('SLIPWAY_DATABASE_URL'), env['SLIPWAY_DATABASE_PASSWORD'] || undefined),
    secretKey: secretKeyFrom(read('SLIPWAY_SECRET_KEY'), dataDir),
    previousSecretKey: previousKeyFrom(read('SLIPWAY_PREVIOUS_SECRET_KEY'), read('SLIPWAY_SECRET_KEY'), dataDir),
    admin: readAdmin(read('SLIPWAY_ADMIN_EMAIL'), env['SLIPWAY_ADMIN_PASSWORD'] || undefined),
    publicUrl,
    originsFor: (port: number) => Object.freeze(publicUrl ? [publicUrl] : localOrigins(host, port)),
    secureCookie: publicUrl?.startsWith('https:') ?? false,
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
    privateGateways: readPrivateGateways(read('SLIPWAY_PRIVATE_GATEWAYS')),
    diskLimitBytes:
      readNumber(read, 'SLIPWAY_DISK_LIMIT_GB', { default: 50, min: 0, max: 1_048_576 }) * 2 ** 30 || null,
    recordingsDays: readNumber(read, 'SLIPWAY_RECORDINGS_DAYS', { default: 30, min: 0, max: 36_500 }) || null,
    recordingsBytes:
      readNumber(read, 'SLIPWAY_RECORDINGS_MAX_GB', { default: 10, min: 0.001, max: 1_048_576 }) * 2 ** 30,
    recordingBytes: readNumber(read, 'SLIPWAY_RECORDING_MAX_MB', { default: 128, min: 0.01, max: 400 }) * 2 ** 20,
    staticDir: resolve(read('SLIPWAY_STATIC_DIR') ?? join(import.meta.dirname, '../../frontend/dist')),
    logLevel: readLogLevel(read('SLIPWAY_LOG_LEVEL') ?? 'info'),
  })
}

type Read = (name: string) => string | undefined

/** An empty variable counts as unset, because a compose file passes on an unset one as empty. */
function reader(env: Env): Read {
  return (name) => env[name]?.trim() || undefined
}

function withSecretFiles(env: Env): Env {
  const found: Record<string, string> = {}
  for (const name of SECRETS) {
    const path = env[`${name}_FILE`]?.trim()
    if (!path) continue
    if (env[name]) throw new ConfigError(`${name} and ${name}_FILE must not both be given`)
    try {
      // Editors end a file with a newline.
      found[name] = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    } catch {
      throw new ConfigError(`${name}_FILE names a file that cannot be read`)
    }
    if (found[name] === '') throw new ConfigError(`${name}_FILE names a file that is empty`)
  }
  return { ...env, ...found }
}

function splitList(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

interface NumberRule {
  readonly default: number
  readonly min: number
  readonly max: number
  readonly whole?: boolean
}

function readNumber(read: Read, name: string, rule: NumberRule): number {
  const text = read(name)
  if (text === undefined) return rule.default
  const value = Number(text)
  const fits = value >= rule.min && value <= rule.max && (!rule.whole || Number.isInteger(value))
  if (!fits) {
    throw new ConfigError(`${name} must be a ${rule.whole ? 'whole ' : ''}number from ${rule.min} to ${rule.max}`)
  }
  return value
}

function readDatabaseUrl(text: string | undefined, password: string | undefined): string | null {
  if (text === undefined) {
    if (password === undefined) return null
    throw new ConfigError('SLIPWAY_DATABASE_PASSWORD belongs to SLIPWAY_DATABASE_URL, which is not set')
  }
  const url = URL.parse(text)
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new ConfigError('SLIPWAY_DATABASE_URL must be an address that begins with postgresql://')
  }
  if (password === undefined) return text
  // Encoded by hand: the setter leaves "%" alone, which the client then takes for the beginning of an escape.
  url.password = encodeURIComponent(password)
  return url.href
}

function secretKeyFrom(text: string | undefined, dataDir: string): Uint8Array {
  return namingSource(text === undefined ? null : 'SLIPWAY_SECRET_KEY', dataDir, () => readSecretKey(text, dataDir))
}

/** If the key is in the environment, so is the previous one: the file of a previous key belongs to a key in a file. */
function previousKeyFrom(text: string | undefined, current: string | undefined, dataDir: string): Uint8Array | null {
  if (text === undefined && current !== undefined) return null
  return namingSource(text === undefined ? null : 'SLIPWAY_PREVIOUS_SECRET_KEY', dataDir, () =>
    readPreviousSecretKey(text, dataDir),
  )
}

/** `variable` is what contains the key; null for a file in the data folder. */
function namingSource<T>(variable: string | null, dataDir: string, readKey: () => T): T {
  try {
    return readKey()
  } catch (error) {
    const fault = variable === null ? folderFault(error) : null
    if (fault !== null) throw new ConfigError(dataFolderSentence(dataDir, fault), { cause: error })
    const message = error instanceof Error ? error.message : 'the secret key cannot be read'
    throw new ConfigError(`${variable ?? 'SLIPWAY_DATA_DIR'}: ${message}`)
  }
}

function readAdmin(email: string | undefined, password: string | undefined): Config['admin'] {
  if (email === undefined && password === undefined) return null
  if (email === undefined || password === undefined) {
    throw new ConfigError('SLIPWAY_ADMIN_EMAIL and SLIPWAY_ADMIN_PASSWORD must be given together, or neither')
  }
  if (!Check(Email, email)) throw new ConfigError('SLIPWAY_ADMIN_EMAIL must be an e-mail address')
  if (!Check(NewPassword, password)) throw new ConfigError('SLIPWAY_ADMIN_PASSWORD must have 12 to 1024 characters')
  return Object.freeze({ email, password })
}

function readPublicUrl(text: string | undefined): string | null {
  if (text === undefined) return null
  const url = URL.parse(text)
  const bare = url && url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password
  if (!bare || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError('SLIPWAY_PUBLIC_URL must be http:// or https://, a host and perhaps a port, without a path')
  }
  return url.origin
}

function readProxies(text: string | undefined): readonly string[] {
  const proxies = splitList(text)
  try {
    proxyAddr.compile(proxies)
  } catch {
    throw new ConfigError(
      'SLIPWAY_TRUSTED_PROXIES must be addresses or networks such as 10.0.0.0/8, separated by commas',
    )
  }
  return Object.freeze(proxies)
}

function readNamespace(text: string): string {
  if (!/^[a-z][a-z0-9-]{0,30}$/.test(text)) {
    throw new ConfigError('SLIPWAY_NAMESPACE must begin with a letter and have at most 31 of a-z, 0-9 and -')
  }
  return text
}

function readPool(text: string): string {
  const pool = parseSubnet(text)
  if (!pool || !isPool(pool)) throw new ConfigError('SLIPWAY_AGENT_SUBNETS must be an IPv4 network from /8 to /20')
  return text
}

function readImages(text: string): readonly [string, ...string[]] {
  const [first, ...others] = splitList(text)
  // Roughly what Docker accepts as a reference: never an option, never a space.
  const bad = [first ?? '', ...others].some((image) => !/^[A-Za-z0-9][A-Za-z0-9._/:@-]{0,254}$/.test(image))
  if (first === undefined || bad) throw new ConfigError('SLIPWAY_IMAGES must be names of images, separated by commas')
  return Object.freeze([first, ...others] as const)
}

function readPrivateGateways(text: string | undefined): readonly string[] {
  const entries = splitList(text)
  const fits = (entry: string): boolean => {
    const [address = '', prefix] = entry.split('/')
    const family = isIP(address)
    if (family === 0) return prefix === undefined && /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/.test(entry)
    return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128))
  }
  if (!entries.every(fits))
    throw new ConfigError('SLIPWAY_PRIVATE_GATEWAYS must be hosts, addresses or networks, separated by commas')
  return Object.freeze(entries)
}

function readLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text)
  if (!level) throw new ConfigError(`SLIPWAY_LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}`)
  return level
}
