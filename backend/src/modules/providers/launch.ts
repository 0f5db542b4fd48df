/** What starts in an agent's container when a user opens a terminal. */
import { CREDENTIAL_SERVICES, type CredentialService } from '@slipway/protocol'
import { providerOfMode } from './catalogue.ts'
import type { McpServer } from './headless/mcp/server.ts'

export interface LaunchOptions {
  /** Already validated; never begins with a dash. */
  readonly model: string | null
  readonly skipPermissions: boolean
  /** The system agent never skips permissions, whatever its settings say. */
  readonly isSystem: boolean
  /** Whether files of the agent's home sign the CLI in. */
  readonly isSignedIn?: boolean
  /** The CLI's own session that continues. Absent: a new one. */
  readonly resume?: string | null
  /** As in `TerminalOptions`. Absent: none. */
  readonly prompt?: string
  readonly newSession?: string | null
  /** MCP servers for its session, and a new text that no argument contains. Absent: none. */
  readonly servers?: { readonly all: readonly McpServer[]; readonly mark: string }
  /** The variables of the credentials for these services, and the services that get a key. */
  credentials(services: readonly CredentialService[]): Given
}

export interface Given {
  readonly env: Readonly<Record<string, string>>
  readonly given: ReadonlySet<CredentialService>
}

export interface LaunchSpec {
  readonly argv: string[]
  /** What the program gets besides the environment of every session. */
  readonly env: Record<string, string>
  /** The program is a login shell, which reads ~/.profile itself. */
  readonly isLoginShell: boolean
  /** One line for the user about what is missing, or null. */
  readonly notice: string | null
}

/** A terminal with 24-bit colours, as xterm.js is one. */
export const TERMINAL = { TERM: 'xterm-256color', COLORTERM: 'truecolor' }

/** Any program may need these for its work with repositories, in addition to its own keys. */
const FOR_GIT: readonly CredentialService[] = ['github', 'git']

/**
 * The program of a terminal, its environment, and a hint for the user.
 *
 * @param mode `claude`, `gemini`, `codex`, `bash`, or the name of another program of the image
 */
export const launchSpec = (mode: string, options: LaunchOptions): LaunchSpec => {
  const { model, skipPermissions, isSystem, isSignedIn = false, resume = null, credentials } = options
  const { prompt = '', newSession = null, servers } = options
  const provider = providerOfMode(mode)
  const { services, terminalArgv, isLoginShell = false, envWithoutKey, noticeWithoutKey } = provider
  const { env, given } = credentials(servicesFor(services))
  const hasKey = canUse(services, given)
  const argv = terminalArgv({
    model: model === null ? [] : ['--model', model],
    skips: skipPermissions && !isSystem,
    hasKey,
    variables: env,
    resume,
    prompt,
    newSession,
  })
  const plain = { argv, env: { ...TERMINAL, ...(hasKey || isSignedIn ? {} : envWithoutKey), ...env } }
  const hasServers = servers !== undefined && servers.all.length > 0
  const program = (hasServers && provider.terminalWithServers?.(plain, servers.all, servers.mark)) || plain
  return {
    argv: [...program.argv],
    isLoginShell,
    env: { ...program.env },
    notice: hasKey || isSignedIn ? null : (noticeWithoutKey ?? null),
  }
}

/** The services whose credentials a program gets that can use these. Undefined: unknown, so all of them. */
export const servicesFor = (services: readonly CredentialService[] | undefined): readonly CredentialService[] =>
  services ? [...services, ...FOR_GIT] : CREDENTIAL_SERVICES

/** Whether a program can use one of the given services. */
export const canUse = (
  services: readonly CredentialService[] | undefined,
  given: ReadonlySet<CredentialService>,
): boolean => services?.some((service) => given.has(service)) ?? false
