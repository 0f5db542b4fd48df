/** A credential as programs in a container see it: variables in the environment of one exec, and nothing else. */
import { CREDENTIAL_SERVICES, type CredentialKind, type CredentialService } from '@slipway/protocol'

/** A decrypted credential on its way into an environment. Never logged, never kept. */
export interface OpenCredential {
  readonly kind: CredentialKind
  readonly secret: string
  readonly address: string | null
}

type Variables = Readonly<Record<string, string>>

/** Answers git's question for a password. This shell function reads the environment only when git asks. */
interface GitHelper {
  /** `https://host`; git asks this helper about no other origin. */
  readonly origin: string
  readonly user: string
  readonly password: string
}

interface Passing {
  readonly variables: Variables
  readonly git?: GitHelper
}

const PASS: Readonly<Record<CredentialKind, (credential: OpenCredential) => Passing>> = {
  'ai-gateway': ({ secret, address }) => ({
    variables: { ANTHROPIC_BASE_URL: address ?? '', ANTHROPIC_AUTH_TOKEN: secret },
  }),
  'anthropic-api-key': ({ secret }) => ({ variables: { ANTHROPIC_API_KEY: secret } }),
  // `codex exec` reads only the second variable; all other commands read the first.
  'openai-api-key': ({ secret }) => ({ variables: { OPENAI_API_KEY: secret, CODEX_API_KEY: secret } }),
  'gemini-api-key': ({ secret }) => ({ variables: { GEMINI_API_KEY: secret } }),
  'github-token': ({ secret }) => ({
    variables: { GH_TOKEN: secret },
    // GitHub accepts any kind of token with this user name.
    git: { origin: 'https://github.com', user: 'x-access-token', password: 'GH_TOKEN' },
  }),
  'git-token': ({ secret, address }) => {
    const url = new URL(address ?? '')
    return {
      variables: { SLIPWAY_GIT_TOKEN: secret },
      git: { origin: url.origin, user: decodeURIComponent(url.username) || 'git', password: 'SLIPWAY_GIT_TOKEN' },
    }
  },
}

/** With what git signs in at an origin, such as `https://github.com`. Null: the credential is for another one. */
export const gitSignInOf = (
  credential: OpenCredential,
  origin: string,
): { readonly user: string; readonly password: string } | null => {
  const { git, variables } = PASS[credential.kind](credential)
  if (git?.origin !== origin) return null
  return { user: git.user, password: variables[git.password] ?? '' }
}

/** The variables in which the CLIs look for a key. Agent variables may set them, too. */
const KEYS: Readonly<Record<CredentialService, readonly string[]>> = {
  anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  openai: ['OPENAI_API_KEY'],
  gemini: ['GEMINI_API_KEY'],
  github: ['GH_TOKEN'],
  git: [],
}

/**
 * An agent's variables with Claude's name for the key of an AI gateway. Gateways and their guides call it
 * `AI_GATEWAY_API_KEY`. Without the gateway's address the key would go to Anthropic, so it is then left alone.
 */
export const withGatewayKey = (variables: Variables): Variables => {
  const { AI_GATEWAY_API_KEY: key = '', ANTHROPIC_BASE_URL: address = '', ANTHROPIC_AUTH_TOKEN: token = '' } = variables
  return key === '' || address === '' || token !== '' ? variables : { ...variables, ANTHROPIC_AUTH_TOKEN: key }
}

/** The services for which these variables hold a key. */
export const servicesOf = (variables: Variables): CredentialService[] =>
  CREDENTIAL_SERVICES.filter((service) => keyIn(service, variables) !== null)

/** The key for a service that these variables hold, or null. */
export const keyIn = (service: CredentialService, variables: Variables): string | null => {
  const name = KEYS[service].find((one) => (variables[one] ?? '') !== '')
  return (name === undefined ? null : variables[name]) ?? null
}

/** The variables of these credentials. There is at most one credential for each service. */
export const environmentOf = (credentials: readonly OpenCredential[]): Record<string, string> => {
  const passing = credentials.map((credential) => PASS[credential.kind](credential))
  const helpers = passing.flatMap(({ git }) => git ?? [])
  const variables = Object.fromEntries(passing.flatMap((one) => Object.entries(one.variables)))
  return { ...variables, ...gitVariables(helpers) }
}

/**
 * Git's configuration by environment (git 2.31 and later). The configuration of the user or a repository stays, and
 * comes first. The user name has a variable of its own, so that no user's text becomes part of a command.
 */
const gitVariables = (helpers: readonly GitHelper[]): Record<string, string> => {
  if (helpers.length === 0) return {}
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(helpers.length) }
  helpers.forEach(({ origin, user, password }, index) => {
    const userVariable = `SLIPWAY_GIT_USER_${index}`
    variables[userVariable] = user
    variables[`GIT_CONFIG_KEY_${index}`] = `credential.${origin}.helper`
    variables[`GIT_CONFIG_VALUE_${index}`] =
      `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$${userVariable}" "$${password}"; }; f`
  })
  return variables
}
