/** Credentials: keys and tokens for programs in agents. No answer ever contains their secrets. */
import Type, { type Static } from 'typebox'
import { Runtime } from '../agents/names.ts'
import { Nullable, Timestamp } from '../common.ts'

/** The services that credentials open. A program gets at most one credential for each service. */
export const CREDENTIAL_SERVICES = ['anthropic', 'openai', 'gemini', 'github', 'git'] as const
export type CredentialService = (typeof CREDENTIAL_SERVICES)[number]
export const CredentialService = Type.Enum(CREDENTIAL_SERVICES)

/** A kind of credential. */
export interface CredentialKindInfo {
  readonly service: CredentialService
  readonly label: string
  /** The kind of address besides the secret: a gateway's base URL, or the https host of a git server. */
  readonly address: 'gateway' | 'git-host' | null
  /** Whether a request can tell a valid credential from an invalid one. */
  readonly testable: boolean
}

/** Every kind of credential. If one level has two for the same service, the first one in this list is used. */
export const CREDENTIAL_KINDS = {
  'ai-gateway': { service: 'anthropic', label: 'AI gateway', address: 'gateway', testable: true },
  'anthropic-api-key': { service: 'anthropic', label: 'Anthropic API key', address: null, testable: true },
  'openai-api-key': { service: 'openai', label: 'OpenAI API key', address: null, testable: true },
  'gemini-api-key': { service: 'gemini', label: 'Gemini API key', address: null, testable: true },
  'github-token': { service: 'github', label: 'GitHub token', address: null, testable: true },
  'git-token': { service: 'git', label: 'Git token', address: 'git-host', testable: false },
} as const satisfies Record<string, CredentialKindInfo>
export type CredentialKind = keyof typeof CREDENTIAL_KINDS
export const CREDENTIAL_KIND_NAMES = Object.keys(CREDENTIAL_KINDS) as CredentialKind[]
export const CredentialKind = Type.Enum(CREDENTIAL_KIND_NAMES)

/** Visible ASCII without spaces, because it travels in a header. A pasted line end is refused, not stored. */
export const CREDENTIAL_VALUE_PATTERN = '^[\\x21-\\x7e]+$'
/** Shortest secret, in characters: no key is shorter, so a typing error is refused at once. */
export const CREDENTIAL_VALUE_MIN = 8
/** Longest secret, in characters. JSON web tokens, the longest in use, have one or two thousand. */
export const CREDENTIAL_VALUE_MAX = 8192

/** The secret, and the address for kinds that have one. It replaces the stored credential. */
export const SetCredential = Type.Object(
  {
    value: Type.String({
      minLength: CREDENTIAL_VALUE_MIN,
      maxLength: CREDENTIAL_VALUE_MAX,
      pattern: CREDENTIAL_VALUE_PATTERN,
    }),
    address: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  },
  { additionalProperties: false },
)
export type SetCredential = Static<typeof SetCredential>

/** A stored credential without its secret. */
export const Credential = Type.Object({
  kind: CredentialKind,
  address: Nullable(Type.String()),
  /** The secret's last four characters, as on the provider's own page; null if the secret is too short. */
  hint: Nullable(Type.String()),
  /** False if the server has another secret key than the one used for encryption: then set the credential again. */
  readable: Type.Boolean(),
  setAt: Timestamp,
  /** E-mail address of the user who set it; null if the account is gone. */
  setBy: Nullable(Type.String()),
})
export type Credential = Static<typeof Credential>

/** The level of a credential. */
export const CredentialSource = Type.Union([
  Type.Literal('agent'),
  Type.Literal('user'),
  Type.Literal('platform'),
  Type.Literal('none'),
])
export type CredentialSource = Static<typeof CredentialSource>

/**
 * Why a credential is not used, or not the expected one.
 *
 * - `off`: the agent's settings turn it off
 * - `shared`, `not_yours`: a personal one would be used if the agent belonged to the caller and were not shared
 * - `was_shared`: other users had access, and its owner has not trusted it since (`POST /agents/:name/trust`)
 * - `api_token`: programs that a token starts do not get it
 * - `unreadable`: this server's secret key does not decrypt it
 */
const Because = Nullable(
  Type.Union([
    Type.Literal('off'),
    Type.Literal('shared'),
    Type.Literal('was_shared'),
    Type.Literal('not_yours'),
    Type.Literal('api_token'),
    Type.Literal('unreadable'),
  ]),
)

/** The credential for one service in a terminal that the caller opens now. */
export const CredentialInForce = Type.Object({
  service: CredentialService,
  source: CredentialSource,
  kind: Nullable(CredentialKind),
  because: Because,
})
export type CredentialInForce = Static<typeof CredentialInForce>

/** How a coding CLI would be signed in, in a terminal that the caller opens now. */
export const CliAccess = Type.Object({
  runtime: Runtime,
  by: Type.Union([
    Type.Literal('credential'),
    /** Files of the agent's home sign it in. */
    Type.Literal('home'),
    Type.Literal('none'),
    /** No credential, and the home's files cannot be checked, for example because the agent does not run. */
    Type.Literal('unknown'),
  ]),
  /** Of the service without a credential. */
  because: Because,
})
export type CliAccess = Static<typeof CliAccess>

/** The result of testing a credential with its provider. */
export const CredentialTest = Type.Object({
  result: Type.Union([
    Type.Literal('valid'),
    Type.Literal('refused'),
    Type.Literal('unreachable'),
    /** The provider's answer means neither, or the server must not contact that address. */
    Type.Literal('unclear'),
  ]),
  message: Type.String(),
})
export type CredentialTest = Static<typeof CredentialTest>

/** Whether the server's secret key is the one that the stored credentials were encrypted with. */
export const SecretKeyStatus = Type.Object({
  state: Type.Union([Type.Literal('current'), Type.Literal('rotating'), Type.Literal('wrong')]),
})
export type SecretKeyStatus = Static<typeof SecretKeyStatus>
