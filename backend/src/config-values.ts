/** The values of the environment's variables: each is checked and read by one function, which throws {@link ConfigError}. */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'
import { Email, NewPassword } from '@slipway/protocol'
import { Check } from 'typebox/value'
import { dataFolderSentence, folderFault } from './lib/folder-fault.ts'
import type { DiscordConfig } from './modules/channels/discord/discord.ts'
import { readSmtpUrl, type SmtpConfig } from './modules/channels/mail/smtp-url.ts'
import { isPool, parseSubnet } from './runtime/docker/container/subnets.ts'
import { readPreviousSecretKey, readSecretKey } from './secret-key.ts'

/** The value of a variable cannot be used. The message names the variable and never repeats a secret's value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** How much is logged, from most to least. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/**
 * Secrets may also be in a file, which the variable of the same name with `_FILE` names: container platforms mount them
 * so.
 */
const SECRETS = [
  'SLIPWAY_SECRET_KEY',
  'SLIPWAY_PREVIOUS_SECRET_KEY',
  'SLIPWAY_DATABASE_PASSWORD',
  'SLIPWAY_ADMIN_PASSWORD',
  'SLIPWAY_SMTP_URL',
  'SLIPWAY_DISCORD_TOKEN',
] as const

/** The first admin's credentials. */
export interface Admin {
  readonly email: string
  readonly password: string
}

export type Env = Readonly<Record<string, string | undefined>>
/** Reads one variable by its name; undefined where it is unset or empty. */
type Read = (name: string) => string | undefined

/** An empty variable counts as unset, because a compose file passes on an unset one as empty. */
export function reader(env: Env): Read {
  return (name) => env[name]?.trim() || undefined
}

export function withSecretFiles(env: Env): Env {
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

export function readNumber(read: Read, name: string, rule: NumberRule): number {
  const text = read(name)
  if (text === undefined) return rule.default
  const value = Number(text)
  const fits = value >= rule.min && value <= rule.max && (!rule.whole || Number.isInteger(value))
  if (!fits) {
    throw new ConfigError(`${name} must be a ${rule.whole ? 'whole ' : ''}number from ${rule.min} to ${rule.max}`)
  }
  return value
}

export function readDatabaseUrl(text: string | undefined, password: string | undefined): string | null {
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

export function secretKeyFrom(text: string | undefined, dataDir: string): Uint8Array {
  return namingSource(text === undefined ? null : 'SLIPWAY_SECRET_KEY', dataDir, () => readSecretKey(text, dataDir))
}

/**
 * A previous key from a file belongs to a key from a file. If the key is in the environment, the previous one must be
 * there, too.
 */
export function previousKeyFrom(
  text: string | undefined,
  current: string | undefined,
  dataDir: string,
): Uint8Array | null {
  if (text === undefined && current !== undefined) return null
  return namingSource(text === undefined ? null : 'SLIPWAY_PREVIOUS_SECRET_KEY', dataDir, () =>
    readPreviousSecretKey(text, dataDir),
  )
}

/** `variable` names the variable with the key; null for a file in the data folder. */
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

export function readAdmin(email: string | undefined, password: string | undefined): Admin | null {
  if (email === undefined && password === undefined) return null
  if (email === undefined || password === undefined) {
    throw new ConfigError('SLIPWAY_ADMIN_EMAIL and SLIPWAY_ADMIN_PASSWORD must be given together, or neither')
  }
  if (!Check(Email, email)) throw new ConfigError('SLIPWAY_ADMIN_EMAIL must be an e-mail address')
  if (!Check(NewPassword, password)) throw new ConfigError('SLIPWAY_ADMIN_PASSWORD must have 12 to 1024 characters')
  return Object.freeze({ email, password })
}

export function readPublicUrl(text: string | undefined): string | null {
  if (text === undefined) return null
  const url = URL.parse(text)
  const bare = url && url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password
  if (!bare || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError('SLIPWAY_PUBLIC_URL must be http:// or https://, a host and perhaps a port, without a path')
  }
  return url.origin
}

/** The names below it must not be the server's own: a cookie of the one would be sent to the other. */
export function readDomain(text: string | undefined, publicUrl: string | null): string | null {
  if (text === undefined) return null
  const isDomain =
    text.length <= 190 && /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/i.test(text)
  if (!isDomain) throw new ConfigError('SLIPWAY_PORTS_DOMAIN must be a domain such as apps.example.org')
  const host = publicUrl === null ? null : new URL(publicUrl).hostname
  if (host === null) throw new ConfigError('SLIPWAY_PORTS_DOMAIN needs SLIPWAY_PUBLIC_URL, which is not set')
  if (host.endsWith(`.${text.toLowerCase()}`))
    throw new ConfigError('SLIPWAY_PUBLIC_URL must not be below SLIPWAY_PORTS_DOMAIN')
  return text.toLowerCase()
}

export function readProxies(text: string | undefined): readonly string[] {
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

export function readNamespace(text: string): string {
  if (!/^[a-z][a-z0-9-]{0,30}$/.test(text)) {
    throw new ConfigError('SLIPWAY_NAMESPACE must begin with a letter and have at most 31 of a-z, 0-9 and -')
  }
  return text
}

export function readPool(text: string): string {
  const pool = parseSubnet(text)
  if (!pool || !isPool(pool)) throw new ConfigError('SLIPWAY_AGENT_SUBNETS must be an IPv4 network from /8 to /20')
  return text
}

export function readImages(text: string): readonly [string, ...string[]] {
  const [first, ...others] = splitList(text)
  // Roughly what Docker accepts as a reference: never an option, never a space.
  const bad = [first ?? '', ...others].some((image) => !/^[A-Za-z0-9][A-Za-z0-9._/:@-]{0,254}$/.test(image))
  if (first === undefined || bad) throw new ConfigError('SLIPWAY_IMAGES must be names of images, separated by commas')
  return Object.freeze([first, ...others] as const)
}

/** Hosts, addresses or networks that are not public. `name` is the variable's. */
export function readPrivateHosts(name: string, text: string | undefined): readonly string[] {
  const entries = splitList(text)
  const fits = (entry: string): boolean => {
    const [address = '', prefix] = entry.split('/')
    const family = isIP(address)
    if (family === 0) return prefix === undefined && /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/.test(entry)
    return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128))
  }
  if (!entries.every(fits)) throw new ConfigError(`${name} must be hosts, addresses or networks, separated by commas`)
  return Object.freeze(entries)
}

/** The message names no part of the address, which has a password in it. */
export function readSmtp(url: string | undefined, from: string | undefined): SmtpConfig | null {
  if (url === undefined && from === undefined) return null
  if (url === undefined || from === undefined)
    throw new ConfigError('SLIPWAY_SMTP_URL and SLIPWAY_MAIL_FROM must be given together, or neither')
  const server = readSmtpUrl(url)
  if (!server)
    throw new ConfigError(
      'SLIPWAY_SMTP_URL must be smtp:// or smtps://, perhaps a user and a password, a host and perhaps a port',
    )
  if (!Check(Email, from)) throw new ConfigError('SLIPWAY_MAIL_FROM must be an e-mail address')
  return Object.freeze({ ...server, from })
}

/** Three parts of base64url, as Discord makes them. */
const DISCORD_TOKEN = /^[\w-]{10,100}\.[\w-]{1,100}\.[\w-]{10,200}$/
const DISCORD_API = 'https://discord.com/api'

export function readDiscord(token: string | undefined, api: string = DISCORD_API): DiscordConfig | null {
  const url = URL.parse(api)
  if (
    !url ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.username !== '' ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw new ConfigError('SLIPWAY_DISCORD_API must be an http or https address, without a version at its end')
  if (token === undefined) return null
  if (!DISCORD_TOKEN.test(token)) throw new ConfigError('SLIPWAY_DISCORD_TOKEN must be the token of a bot')
  return Object.freeze({ token, api: api.replace(/\/$/, '') })
}

export function readLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text)
  if (!level) throw new ConfigError(`SLIPWAY_LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}`)
  return level
}
