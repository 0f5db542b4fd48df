/** A provider as a task uses it: one of the catalogue, or one that a user has described. */
import {
  CONFIG_SERVICES,
  type ConfigService,
  type AuthMethod,
  type CredentialService,
  CUSTOM_PREFIX,
  OUTPUT_FORMATS,
  RUN_TIMEOUT_SECONDS_DEFAULT,
  RUN_TIMEOUT_SECONDS_MAX,
} from '@slipway/protocol'
import { headlessOf, labelOfId, providerOf } from './catalogue.ts'
import { customHeadless, customOutput } from './headless/custom.ts'
import type { CustomCli } from './headless/custom/program.ts'
import type { Headless, HeadlessOptions, HeadlessOutput } from './headless/headless.ts'

/** What is stored of a run's provider. A custom one may change, and be deleted, while the run goes on. */
export interface ProviderOfRun {
  /** Its id. */
  readonly provider: string
  /** The name and the output of a custom provider when the run started; null for a built-in one. */
  readonly displayName: string | null
  readonly outputFormat: string | null
}

/** What a user says of their CLI. All values are validated. */
export interface CustomProvider extends CustomCli {
  readonly name: string
  readonly displayName: string
  readonly authMethod: AuthMethod
  readonly configServiceName: ConfigService | null
  readonly apiKeyEnvVar: string | null
  readonly defaultTimeoutMs: number
  readonly maxTimeoutMs: number
}

export interface TaskProvider {
  readonly stored: ProviderOfRun
  readonly label: string
  readonly headless: Headless
  /** The mode of its terminals; null if it has none. */
  readonly terminalMode: string | null
  /** Whether a terminal's CLI takes the name of its new session. */
  readonly takesNewSession: boolean
  /** As in `Provider`; null if there is none. */
  readonly plainArgv: ((options: HeadlessOptions) => readonly string[]) | null
  /** Its program: a name in the PATH, or an absolute path. */
  readonly binary: string
  readonly installCommand: string | null
  /** As in `Provider`. */
  readonly services: readonly CredentialService[] | undefined
  /** The service whose key it gets in a variable of its own, or null. */
  readonly key: { readonly service: CredentialService; readonly variable: string } | null
  readonly authMethod: AuthMethod | 'both'
  /** The variable in which it expects the agent's own key, or null. */
  readonly keyVariable: string | null
  /** Time limits of its tasks, in seconds. */
  readonly timeoutSeconds: { readonly default: number; readonly max: number }
}

/** A provider of the catalogue that can run tasks; null for any other. */
export const builtInProvider = (id: string): TaskProvider | null => {
  const provider = providerOf(id)
  if (!provider?.headless) return null
  const { mode, label, headless, services, keyVariable = null, installCommand = null } = provider
  return {
    stored: { provider: id, displayName: null, outputFormat: null },
    label,
    headless,
    terminalMode: mode,
    takesNewSession: provider.takesNewSession ?? false,
    plainArgv: provider.plainArgv?.bind(provider) ?? null,
    binary: mode,
    installCommand,
    services,
    key: null,
    authMethod: 'both',
    keyVariable,
    timeoutSeconds: { default: RUN_TIMEOUT_SECONDS_DEFAULT, max: RUN_TIMEOUT_SECONDS_MAX },
  }
}

export const customProvider = (custom: CustomProvider): TaskProvider => {
  const { name, displayName, outputFormat, binary, authMethod, configServiceName, apiKeyEnvVar } = custom
  const service = authMethod === 'config_center' && configServiceName ? CONFIG_SERVICES[configServiceName] : null
  return {
    stored: { provider: `${CUSTOM_PREFIX}${name}`, displayName, outputFormat },
    label: displayName,
    headless: customHeadless(custom),
    terminalMode: null,
    takesNewSession: false,
    plainArgv: null,
    binary,
    installCommand: null,
    services: service === null ? [] : [service],
    key: service === null || apiKeyEnvVar === null ? null : { service, variable: apiKeyEnvVar },
    authMethod,
    keyVariable: authMethod === 'env_var' ? apiKeyEnvVar : null,
    timeoutSeconds: { default: inSeconds(custom.defaultTimeoutMs), max: inSeconds(custom.maxTimeoutMs) },
  }
}

/** The name that users read for the provider of a run. */
export const labelOfRun = ({ provider, displayName }: ProviderOfRun): string => displayName ?? labelOfId(provider)

/** How a CLI's output is followed, of a run that asks people or of any other. */
export const outputOf = (headless: HeadlessOutput, asksPeople: boolean): HeadlessOutput => {
  const { people } = headless
  return asksPeople && people?.output ? { ...people.output, people } : headless
}

/** The same for a run; null if this version does not know its provider. */
export const outputOfRun = (
  { provider, outputFormat }: Pick<ProviderOfRun, 'provider' | 'outputFormat'>,
  asksPeople: boolean,
): HeadlessOutput | null => {
  const format = OUTPUT_FORMATS.find((one) => one === outputFormat)
  if (format !== undefined) return customOutput(format)
  const headless = headlessOf(provider)
  return headless && outputOf(headless, asksPeople)
}

/** A provider's name in metrics, which must not have a series for each user's own. */
export const nameInMetrics = (provider: string): string => (provider.startsWith(CUSTOM_PREFIX) ? 'custom' : provider)

const inSeconds = (ms: number): number => Math.ceil(ms / 1000)
