/** Credentials: keys and tokens that programs in agents need. They go in, and never come out again. */
import Type, { type Static } from 'typebox'
import { Runtime } from './agents.ts'
import { Nullable, Timestamp } from './common.ts'

/** What a credential opens. Of the credentials for one service, one at most is handed to a program. */
export const CREDENTIAL_SERVICES = ['anthropic', 'openai', 'gemini', 'github', 'git'] as const
export type CredentialService = (typeof CREDENTIAL_SERVICES)[number]
export const CredentialService = Type.Enum(CREDENTIAL_SERVICES)

/** What is known of a kind of credential. */
export interface CredentialKindInfo {
  readonly service: CredentialService
  readonly label: string
  /** What it has besides its secret: a gateway's base URL, or the https host of a git server. */
  readonly address: 'gateway' | 'git-host' | null
  /** Whether there is a request that tells a good one from a bad one. */
  readonly testable: boolean
}

/** Every kind there is. Of two for one service that are set at one place, the one that stands first here counts. */
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

/** Visible ASCII without blanks, which is what travels in a header; a pasted line end is refused rather than stored. */
export const CREDENTIAL_VALUE_PATTERN = '^[\\x21-\\x7e]+$'
/** Fewest characters: nothing shorter is a key, and a slip of the keyboard is told at once. */
export const CREDENTIAL_VALUE_MIN = 8
/** Most characters: JSON web tokens, the longest in use, have one or two thousand. */
export const CREDENTIAL_VALUE_MAX = 8192

/** The secret, and for the kinds that have one, the address. Whatever was set before is replaced. */
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

/** A credential that is set, without its secret. */
export const Credential = Type.Object({
  kind: CredentialKind,
  address: Nullable(Type.String()),
  /** The secret's last four characters, as the provider's own page shows them; null where it is too short to tell some. */
  hint: Nullable(Type.String()),
  /** False when it was encrypted with another secret key than this server has: it has to be set again. */
  readable: Type.Boolean(),
  setAt: Timestamp,
  /** Who set it; null when they are gone. */
  setBy: Nullable(Type.String()),
})
export type Credential = Static<typeof Credential>

/** Where a credential comes from. */
export const CredentialSource = Type.Union([
  Type.Literal('agent'),
  Type.Literal('user'),
  Type.Literal('platform'),
  Type.Literal('none'),
])
export type CredentialSource = Static<typeof CredentialSource>

/**
 * Why a credential is not what one might expect: `off` by the agent's settings; `shared` or `not_yours`: a personal one would
 * be used if the agent were the caller's and nobody else's; `was_shared`: others were in it, and its owner has not confirmed
 * since that theirs may be used (`POST /agents/:name/trust`); `api_token`: it is not handed to what a token starts;
 * `unreadable` with this server's secret key.
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

/** What a terminal that the caller opens now is given for one service. */
export const CredentialInForce = Type.Object({
  service: CredentialService,
  source: CredentialSource,
  kind: Nullable(CredentialKind),
  because: Because,
})
export type CredentialInForce = Static<typeof CredentialInForce>

/** What a coding CLI has to work with in a terminal that the caller opens now. */
export const CliAccess = Type.Object({
  runtime: Runtime,
  by: Type.Union([
    Type.Literal('credential'),
    /** Files of the agent's home sign it in. */
    Type.Literal('home'),
    Type.Literal('none'),
    /** No credential; whether the home signs it in cannot be seen, for instance because the agent does not run. */
    Type.Literal('unknown'),
  ]),
  /** Of the service whose credential is missing. */
  because: Because,
})
export type CliAccess = Static<typeof CliAccess>

/** What the provider said to a credential. */
export const CredentialTest = Type.Object({
  result: Type.Union([
    Type.Literal('valid'),
    Type.Literal('refused'),
    Type.Literal('unreachable'),
    /** It answered something that says neither, or it must not be asked from the server. */
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
