/** What a connector is: checked when it is set, with its secrets in their places. Pure. */
import { CONNECTOR_SECRETS_MAX, type SetConnector } from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import type { McpTransport } from '../../providers/headless/mcp/server.ts'

type Texts = Readonly<Record<string, string>>

/** The settings as users see them: `${secret:NAME}` stands for a secret. */
export interface ShownSettings {
  readonly command: string | null
  readonly args: readonly string[] | null
  readonly env: Texts | null
  readonly url: string | null
  readonly headers: Texts | null
  readonly hasOauthToken: boolean
  /** Names of its secrets. */
  readonly secrets: readonly string[]
}

/** What is sealed of a connector. */
export interface Definition {
  readonly shown: ShownSettings
  /** What a CLI gets, with the secrets in their places. */
  readonly transport: McpTransport
  /** The secrets alone, for masking. */
  readonly secrets: readonly string[]
}

const REFERENCE = /\$\{secret:([^}]*)\}/g
/** The forms in which the CLIs themselves replace something in their settings. */
const REPLACED_BY_CLIS = /\$\{|\{(?:env|file):/
/** What a header may hold. Line breaks would begin another header. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/

/** Throws `VALIDATION`. */
export const definitionOf = (body: SetConnector): Definition => {
  const references = new References(body.secrets ?? {})
  const definition = body.kind === 'http' ? httpOf(body, references) : stdioOf(body, references)
  references.requireAllUsed()
  const { shown, transport, secrets } = definition
  if (secrets.length > CONNECTOR_SECRETS_MAX)
    throw invalid('secrets', `a connector may have at most ${CONNECTOR_SECRETS_MAX}, its oauthToken among them`)
  return { shown, transport, secrets }
}

const httpOf = (body: SetConnector, references: References): Definition => {
  const { headers = {}, oauthToken } = body
  refuse(body, 'http', ['command', 'args', 'env'])
  const url = checkedUrl(body.url)
  const sent: Record<string, string> = {}
  const names = new Set<string>()
  for (const [name, value] of Object.entries(headers)) {
    const resolved = references.resolve(`headers.${name}`, value)
    if (!HEADER_VALUE.test(resolved)) throw invalid(`headers.${name}`, 'must be printable ASCII')
    if (names.has(name.toLowerCase())) throw invalid(`headers.${name}`, 'is there twice')
    names.add(name.toLowerCase())
    sent[name] = resolved
  }
  if (oauthToken !== undefined) {
    if (names.has('authorization')) throw invalid('oauthToken', 'the header authorization is there already')
    requirePlain('oauthToken', oauthToken)
    sent['Authorization'] = `Bearer ${oauthToken}`
  }
  return {
    shown: {
      ...{ command: null, args: null, env: null, url, headers },
      hasOauthToken: oauthToken !== undefined,
      secrets: references.names,
    },
    transport: { kind: 'http', url, headers: sent },
    secrets: [...references.values, ...(oauthToken === undefined ? [] : [oauthToken])],
  }
}

const stdioOf = (body: SetConnector, references: References): Definition => {
  const { command, args = [], env = {} } = body
  refuse(body, 'stdio', ['url', 'headers', 'oauthToken'])
  if (command === undefined) throw invalid('command', 'a connector of the kind stdio needs it')
  // Every process of the container can read the arguments of every other one.
  requirePlain('command', command)
  args.forEach((arg, at) => requirePlain(`args.${at}`, arg))
  const given: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) given[name] = references.resolve(`env.${name}`, value)
  return {
    shown: { command, args, env, url: null, headers: null, hasOauthToken: false, secrets: references.names },
    transport: { kind: 'stdio', command, args, env: given },
    secrets: references.values,
  }
}

/** Puts secrets into the places of their references. */
class References {
  readonly #secrets: Texts
  readonly #used = new Set<string>()

  constructor(secrets: Texts) {
    this.#secrets = secrets
    for (const [name, value] of Object.entries(secrets)) requirePlain(`secrets.${name}`, value)
  }

  get names(): string[] {
    return Object.keys(this.#secrets).sort()
  }

  get values(): string[] {
    return Object.values(this.#secrets)
  }

  resolve(field: string, value: string): string {
    requirePlain(field, value.replaceAll(REFERENCE, ''))
    return value.replaceAll(REFERENCE, (_reference, name: string) => {
      const secret = Object.hasOwn(this.#secrets, name) ? this.#secrets[name] : undefined
      if (secret === undefined) throw invalid(field, `there is no secret ${name} in "secrets"`)
      this.#used.add(name)
      return secret
    })
  }

  requireAllUsed(): void {
    const unused = this.names.find((name) => !this.#used.has(name))
    if (unused !== undefined) throw invalid(`secrets.${unused}`, `no header or variable refers to \${secret:${unused}}`)
  }
}

const checkedUrl = (text: string | undefined): string => {
  if (text === undefined) throw invalid('url', 'a connector of the kind http needs it')
  requirePlain('url', text)
  const url = URL.parse(text.trim())
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw invalid('url', 'must be an address such as https://mcp.example.org/mcp')
  if (url.username || url.password) throw invalid('url', 'must not contain a user name or a password: use a header')
  if (url.hash) throw invalid('url', 'must not have a fragment')
  return url.href
}

const refuse = (body: SetConnector, kind: string, fields: readonly (keyof SetConnector)[]): void => {
  const field = fields.find((one) => body[one] !== undefined)
  if (field !== undefined) throw invalid(field, `a connector of the kind ${kind} has none`)
}

const requirePlain = (field: string, value: string): void => {
  if (REPLACED_BY_CLIS.test(value))
    throw invalid(field, 'must not contain "${", "{env:" or "{file:", which coding CLIs replace by something else')
}

const invalid = (field: string, what: string): AppError => new AppError('VALIDATION', `body.${field}: ${what}`)
