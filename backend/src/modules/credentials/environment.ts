/** A credential as the programs in a container know it: variables of one exec's environment, and nothing else. */
import { CREDENTIAL_SERVICES, type CredentialKind, type CredentialService } from '@slipway/protocol'

/** A credential that was decrypted, on its way into an environment. Never logged, never kept. */
export interface OpenCredential {
  readonly kind: CredentialKind
  readonly secret: string
  readonly address: string | null
}

type Variables = Readonly<Record<string, string>>

/** What answers when git asks for a password: a shell function that reads the environment when it is asked, and no sooner. */
interface GitHelper {
  /** `https://host`; git asks this helper for no other. */
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
  // `codex exec` reads the second and nothing else; everything else reads the first.
  'openai-api-key': ({ secret }) => ({ variables: { OPENAI_API_KEY: secret, CODEX_API_KEY: secret } }),
  'gemini-api-key': ({ secret }) => ({ variables: { GEMINI_API_KEY: secret } }),
  'github-token': ({ secret }) => ({
    variables: { GH_TOKEN: secret },
    // The user name that GitHub asks for with any kind of token.
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

/** The variables in which the CLIs look for a key, whoever set them. */
const KEYS: Readonly<Record<CredentialService, readonly string[]>> = {
  anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  openai: ['OPENAI_API_KEY'],
  gemini: ['GEMINI_API_KEY'],
  github: ['GH_TOKEN'],
  git: [],
}

/** The services for which these variables hold a key. */
export const servicesOf = (variables: Variables): CredentialService[] =>
  CREDENTIAL_SERVICES.filter((service) => KEYS[service].some((name) => (variables[name] ?? '') !== ''))

/** The variables of these credentials, of which there is one for each service at most. */
export const environmentOf = (credentials: readonly OpenCredential[]): Record<string, string> => {
  const passing = credentials.map((credential) => PASS[credential.kind](credential))
  const helpers = passing.flatMap(({ git }) => git ?? [])
  const variables = Object.fromEntries(passing.flatMap((one) => Object.entries(one.variables)))
  return { ...variables, ...gitVariables(helpers) }
}

/**
 * Git's configuration by environment (git 2.31 and later): what a person or a repository configures stays, and comes
 * first. The user name travels in a variable of its own, so that no text of anybody's becomes part of a command.
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
