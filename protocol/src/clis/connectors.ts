/** MCP servers that tasks of an agent can use: connectors of the agent, of a user and of the platform. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../common.ts'
import { VARIABLE_NAME_PATTERN } from '../agents/variables.ts'

/** Most connectors of one owner. */
export const CONNECTORS_MAX = 10
/**
 * Most bytes of all connectors of one owner, as stored. Those of the three owners of a task travel in one variable, of
 * which Linux allows 131,072 bytes.
 */
export const CONNECTORS_BYTES = 32_768
/** Most secrets of one connector, its token among them. */
export const CONNECTOR_SECRETS_MAX = 8
/** Longest text of a connector, in characters. */
export const CONNECTOR_TEXT_MAX = 8192

/** The CLIs use it in the names of tools, which have 64 characters at most. */
export const CONNECTOR_NAME_PATTERN = '^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$'
export const ConnectorName = Type.String({ pattern: CONNECTOR_NAME_PATTERN })

export const CONNECTOR_KINDS = ['stdio', 'http'] as const
export type ConnectorKind = (typeof CONNECTOR_KINDS)[number]
export const ConnectorKind = Type.Enum(CONNECTOR_KINDS)

/** The name of a secret, which `${secret:NAME}` stands for. */
const SECRET_NAME = '^[A-Z][A-Z0-9_]{0,63}$'
/** A token of RFC 9110, except what the CLIs set themselves. */
const HEADER_NAME = "^(?!(?:[Hh]ost|[Cc]ontent-[Ll]ength)$)[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$"

const text = (minLength: number) => Type.String({ minLength, maxLength: CONNECTOR_TEXT_MAX, pattern: '^[^\\u0000]*$' })
/** Texts by names that match this pattern. */
const texts = (pattern: string, maxProperties: number) =>
  Type.Object({}, { patternProperties: { [pattern]: text(0) }, additionalProperties: false, maxProperties })

/** What a connector is. It replaces the stored one with all of its secrets. */
export const SetConnector = Type.Object(
  {
    kind: ConnectorKind,
    command: Type.Optional(text(1)),
    args: Type.Optional(Type.Array(text(0), { maxItems: 64 })),
    env: Type.Optional(texts(VARIABLE_NAME_PATTERN, 32)),
    url: Type.Optional(text(1)),
    headers: Type.Optional(texts(HEADER_NAME, 32)),
    oauthToken: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: CONNECTOR_TEXT_MAX,
        pattern: '^[\\x21-\\x7e]+$',
        description: 'Sent as `Authorization: Bearer`. No answer contains it.',
      }),
    ),
    secrets: Type.Optional(texts(SECRET_NAME, CONNECTOR_SECRETS_MAX)),
    enabled: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
/** The schema's type does not know the texts by name. */
export type SetConnector = Omit<Static<typeof SetConnector>, 'env' | 'headers' | 'secrets'> & {
  readonly env?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly secrets?: Readonly<Record<string, string>>
}

/** Switches a connector on or off. */
export const SwitchConnector = Type.Object({ enabled: Type.Boolean() }, { additionalProperties: false })
export type SwitchConnector = Static<typeof SwitchConnector>

const shown = Type.Record(Type.String(), Type.String())

/** A connector without its secrets. The fields of another kind, and all of one that cannot be read, are null. */
export const Connector = Type.Object({
  name: Type.String(),
  kind: ConnectorKind,
  enabled: Type.Boolean(),
  command: Nullable(Type.String()),
  args: Nullable(Type.Array(Type.String())),
  env: Nullable(shown),
  url: Nullable(Type.String()),
  headers: Nullable(shown),
  hasOauthToken: Type.Boolean(),
  /** Names of its secrets. */
  secrets: Type.Array(Type.String()),
  /** False if the server has another secret key than the one used for encryption: then set the connector again. */
  readable: Type.Boolean(),
  setAt: Timestamp,
  /** E-mail address of the user who set it; null if the account is gone. */
  setBy: Nullable(Type.String()),
})
export type Connector = Static<typeof Connector>
