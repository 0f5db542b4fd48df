/** What is started in an agent's container when somebody opens a terminal. */
import { CREDENTIAL_SERVICES, type CredentialService } from '@slipway/protocol'
import { PLACEHOLDER_KEY } from './seed.ts'

export interface LaunchOptions {
  /** Already validated; never begins with a dash. */
  readonly model: string | null
  readonly skipPermissions: boolean
  /** The system agent never skips permissions, whatever its settings say. */
  readonly isSystem: boolean
  /** The variables of the credentials for these services, and the services that are among them. */
  credentials(services: readonly CredentialService[]): Given
}

export interface Given {
  readonly env: Readonly<Record<string, string>>
  readonly given: ReadonlySet<CredentialService>
}

export interface LaunchSpec {
  readonly argv: string[]
  /** Everything the program gets besides the image's own environment. */
  readonly env: Record<string, string>
  /** One line for the person about what is missing, or null. */
  readonly notice: string | null
}

/** A terminal with 24-bit colours and UTF-8, as xterm.js is one. */
const TERMINAL = { TERM: 'xterm-256color', COLORTERM: 'truecolor', LANG: 'C.UTF-8' }

interface Launcher {
  readonly argv: (options: { model: string[]; skips: boolean; hasKey: boolean }) => string[]
  /** Whose keys it may use, the first of them before all; every one of {@link CREDENTIAL_SERVICES} where it is not said. */
  readonly keys?: readonly CredentialService[]
  /** Without a key only. */
  readonly env?: Record<string, string>
  readonly notice?: string
}

/** What any program may need for its work with repositories, whosever keys it uses. */
const FOR_GIT: readonly CredentialService[] = ['github', 'git']

/**
 * Codex in the terminal reads no key from its environment (`codex exec` does), except for a provider that is configured
 * so. This is the one it has anyway, with the name of a variable.
 */
const CODEX_PROVIDER = {
  model_provider: '"slipway"',
  'model_providers.slipway.name': '"OpenAI"',
  'model_providers.slipway.base_url': '"https://api.openai.com/v1"',
  'model_providers.slipway.env_key': '"OPENAI_API_KEY"',
  'model_providers.slipway.wire_api': '"responses"',
}

/** The CLIs whose options are known. `model` is `--model M` or nothing. */
const launchers: Record<string, Launcher> = {
  bash: { argv: () => ['/bin/bash', '--login'] },
  claude: {
    keys: ['anthropic'],
    argv: ({ model, skips }) => [
      'claude',
      ...(skips ? ['--dangerously-skip-permissions'] : ['--permission-mode', 'default']),
      ...model,
    ],
  },
  gemini: {
    keys: ['gemini'],
    argv: ({ model }) => ['gemini', ...model],
    // Without any key it asks for one before it shows its prompt.
    env: { GEMINI_API_KEY: PLACEHOLDER_KEY },
    notice: 'No Gemini key is set: type /auth in Gemini to sign in, or set GEMINI_API_KEY.',
  },
  codex: {
    keys: ['openai'],
    argv: ({ model, skips, hasKey }) => [
      'codex',
      // Its background server would copy 400 MB into the home and outlive the terminal.
      '--no-daemon',
      ...(skips ? ['--dangerously-bypass-approvals-and-sandbox'] : []),
      ...(hasKey ? Object.entries(CODEX_PROVIDER).flatMap(([name, value]) => ['-c', `${name}=${value}`]) : []),
      ...model,
    ],
    notice: 'Codex needs a sign-in before it can answer: run "codex login --device-auth" in bash.',
  },
  copilot: { keys: [], argv: ({ model }) => ['copilot', ...model] },
  opencode: { keys: ['anthropic', 'openai', 'gemini'], argv: ({ model }) => ['opencode', ...model] },
}

/**
 * The program of a terminal, its environment, and a hint for the person.
 *
 * @param mode `claude`, `gemini`, `codex`, `bash`, or the name of another CLI of the image, which is then started
 *   without options
 */
export const launchSpec = (mode: string, options: LaunchOptions): LaunchSpec => {
  const { model, skipPermissions, isSystem, credentials } = options
  const launcher: Launcher = Object.hasOwn(launchers, mode) ? launchers[mode]! : { argv: () => [mode] }
  const skips = skipPermissions && !isSystem
  const { env, given } = credentials(launcher.keys ? [...launcher.keys, ...FOR_GIT] : CREDENTIAL_SERVICES)
  const hasKey = launcher.keys?.some((service) => given.has(service)) ?? false
  return {
    argv: launcher.argv({ model: model === null ? [] : ['--model', model], skips, hasKey }),
    env: { ...TERMINAL, ...(hasKey ? {} : launcher.env), ...env },
    notice: hasKey ? null : (launcher.notice ?? null),
  }
}
