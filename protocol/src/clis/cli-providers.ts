/** Coding CLIs that users describe themselves, and the status of every coding CLI in an agent. */
import Type, { type Static } from 'typebox'
import { AgentName } from '../agents/names.ts'
import { Nullable, Timestamp } from '../common.ts'
import type { CredentialService } from './credentials.ts'
import { RUN_TIMEOUT_SECONDS_DEFAULT, RUN_TIMEOUT_SECONDS_MAX } from '../tasks/runs.ts'

/** Most custom providers of one user. */
export const CLI_PROVIDERS_MAX = 20
/** A run names a custom provider with this prefix. */
export const CUSTOM_PREFIX = 'custom:'

export const OUTPUT_FORMATS = ['text', 'json', 'stream-json'] as const
export type OutputFormat = (typeof OUTPUT_FORMATS)[number]

export const PROMPT_VIA = ['argument', 'stdin', 'file'] as const
export type PromptVia = (typeof PROMPT_VIA)[number]

export const AUTH_METHODS = ['none', 'config_center', 'env_var'] as const
export type AuthMethod = (typeof AUTH_METHODS)[number]

/** The names of services in `config_service_name`, and the credentials that they mean. */
export const CONFIG_SERVICES = {
  'coding-claude-code': 'anthropic',
  'coding-codex': 'openai',
  'coding-gemini': 'gemini',
} as const satisfies Record<string, CredentialService>
export type ConfigService = keyof typeof CONFIG_SERVICES
const CONFIG_SERVICE_NAMES = Object.keys(CONFIG_SERVICES) as ConfigService[]

/** A name in the PATH, or an absolute path without `.` and `..`. Never an option. */
export const BINARY_PATTERN = '^(?:[A-Za-z0-9_][A-Za-z0-9._+-]*|(?:/(?!\\.{1,2}(?:/|$))[A-Za-z0-9._+@-]+)+)$'

/**
 * Names for a key that neither Slipway, nor a shell, nor a loader or an interpreter reads: a key under such a name would
 * change what the program does.
 */
export const KEY_VARIABLE_PATTERN =
  '^(?!(?:SLIPWAY_.*|GIT_CONFIG_.*|LD_.*|BASH_.*|NODE_.*|PYTHON.*|PERL.*|RUBY.*|LC_.*|HOME|USER|LOGNAME|SHELL|PATH|PWD|OLDPWD|' +
  'SHLVL|IFS|ENV|LANG|LANGUAGE|TERM|TZ|TMPDIR|CLAUDECODE|CLAUDE_CODE|_)$)[A-Za-z_][A-Za-z0-9_]{0,127}$'

const WITHOUT_NUL = '^[^\\u0000]*$'
const text = (maxLength: number) => Type.String({ maxLength, pattern: WITHOUT_NUL })
const TimeoutMs = Type.Integer({ minimum: 1000, maximum: RUN_TIMEOUT_SECONDS_MAX * 1000 })

/** What a user may change later. */
const fields = {
  display_name: Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$' }),
  binary: Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: BINARY_PATTERN,
    description: 'A program in the PATH of the agent, or an absolute path.',
  }),
  description: Nullable(text(1000)),
  category: Type.String({ minLength: 1, maxLength: 50, pattern: WITHOUT_NUL }),
  icon: Nullable(text(100)),
  color: Nullable(text(50)),
  auth_method: Type.Enum(AUTH_METHODS),
  config_service_name: Nullable(Type.Enum(CONFIG_SERVICE_NAMES)),
  api_key_env_var: Nullable(Type.String({ pattern: KEY_VARIABLE_PATTERN })),
  default_args: Type.Array(text(4096), { maxItems: 64 }),
  prompt_template: Nullable(
    Type.String({
      maxLength: 4096,
      pattern: WITHOUT_NUL,
      description:
        'Arguments that follow `default_args`. The template is split at blanks outside of quotes. Then `{prompt}`, `{cwd}`, `{model}` and `{mcp_config}` are replaced. `{mcp_config}` is the path of a file in the form of the `.mcp.json` of Claude Code; without it, tasks get no connectors. If a task has no model, or no connector is in force, arguments with that placeholder are left out.',
    }),
  ),
  prompt_via: Type.Enum(PROMPT_VIA),
  output_format: Type.Enum(OUTPUT_FORMATS),
  default_timeout_ms: TimeoutMs,
  max_timeout_ms: TimeoutMs,
  is_active: Type.Boolean(),
}

/** Each field of a new provider that may be missing, with its value then. */
export const CLI_PROVIDER_DEFAULTS = {
  description: null,
  category: 'general',
  icon: null,
  color: null,
  authMethod: 'none',
  configServiceName: null,
  apiKeyEnvVar: null,
  defaultArgs: [],
  promptTemplate: null,
  promptVia: 'argument',
  outputFormat: 'text',
  defaultTimeoutMs: RUN_TIMEOUT_SECONDS_DEFAULT * 1000,
  maxTimeoutMs: RUN_TIMEOUT_SECONDS_MAX * 1000,
  isActive: true,
} as const

const { display_name, binary, ...further } = fields
const optional = Type.Partial(Type.Object(further)).properties

export const CreateCliProvider = Type.Object(
  { name: Type.String({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$' }), display_name, binary, ...optional },
  { additionalProperties: false },
)
export type CreateCliProvider = Static<typeof CreateCliProvider>

/** The name stays, because earlier tasks have it. */
export const UpdateCliProvider = Type.Partial(Type.Object(fields), { additionalProperties: false })
export type UpdateCliProvider = Static<typeof UpdateCliProvider>

export const CliProvider = Type.Object({
  id: Type.String(),
  userId: Type.String(),
  /** A task names it `custom:{name}`. */
  name: Type.String(),
  displayName: Type.String(),
  description: Nullable(Type.String()),
  binary: Type.String(),
  category: Type.String(),
  icon: Nullable(Type.String()),
  color: Nullable(Type.String()),
  authMethod: Type.Enum(AUTH_METHODS),
  configServiceName: Nullable(Type.String()),
  apiKeyEnvVar: Nullable(Type.String()),
  defaultArgs: Type.Array(Type.String()),
  promptTemplate: Nullable(Type.String()),
  promptVia: Type.Enum(PROMPT_VIA),
  outputFormat: Type.Enum(OUTPUT_FORMATS),
  defaultTimeoutMs: Type.Integer(),
  maxTimeoutMs: Type.Integer(),
  isActive: Type.Boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type CliProvider = Static<typeof CliProvider>

/** The agent in which a CLI is looked for. A user with one agent need not name it. */
export const InAgent = Type.Object({ agent: Type.Optional(AgentName) }, { additionalProperties: false })
export type InAgent = Static<typeof InAgent>

/** Whether an agent has the program of a custom provider. */
export const CliProviderTest = Type.Object({
  installed: Type.Boolean(),
  /** Null if the program does not say it within its time. */
  version: Nullable(Type.String()),
  binary: Type.String(),
})
export type CliProviderTest = Static<typeof CliProviderTest>

export const CodingAgentStatus = Type.Object({
  provider: Type.String(),
  displayName: Type.String(),
  installed: Type.Boolean(),
  /** Whether a task of the caller would get a key for it. */
  hasApiKey: Type.Boolean(),
  /** Whether it has a key, or the agent's home signs it in, or it needs neither. */
  configured: Type.Boolean(),
  /** `both`: an API key, or a sign-in in a terminal. */
  authMethod: Type.Enum(['both', ...AUTH_METHODS] as const),
  version: Nullable(Type.String()),
  /** Whether its tasks get connectors. */
  takesConnectors: Type.Boolean(),
  /** Always true: an agent has terminals. */
  ptyAvailable: Type.Boolean(),
  /** How to install it in a terminal; null if that is not known. */
  installCommand: Nullable(Type.String()),
  /** The model of tasks that name none; null: the CLI decides. */
  defaultModel: Nullable(Type.String()),
})
export type CodingAgentStatus = Static<typeof CodingAgentStatus>

export const TestCodingAgent = Type.Object(
  { provider: Type.String({ minLength: 1, maxLength: 100 }), agent: Type.Optional(AgentName) },
  { additionalProperties: false },
)
export type TestCodingAgent = Static<typeof TestCodingAgent>

export const CodingAgentTest = Type.Object({
  provider: Type.String(),
  available: Type.Boolean(),
  installed: Type.Boolean(),
  configured: Type.Boolean(),
  version: Nullable(Type.String()),
  ptyAvailable: Type.Boolean(),
})
export type CodingAgentTest = Static<typeof CodingAgentTest>
