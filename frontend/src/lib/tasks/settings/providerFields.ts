import {
  argvOf,
  type AuthMethod,
  CLI_PROVIDER_DEFAULTS,
  type CliProvider,
  CONFIG_SERVICES,
  type ConfigService,
  type CreateCliProvider,
  entriesOf,
  type OutputFormat,
  type PromptVia,
  type UpdateCliProvider,
} from '@slipway/protocol'
import { listIn } from './lines.ts'

/** A custom provider as its form edits it. An empty text stands for none. */
export interface ProviderForm {
  name: string
  displayName: string
  binary: string
  /** One on each line. */
  defaultArgs: string
  promptTemplate: string
  promptVia: PromptVia
  outputFormat: OutputFormat
  authMethod: AuthMethod
  configServiceName: ConfigService
  apiKeyEnvVar: string
  defaultTimeoutMinutes: number
  maxTimeoutMinutes: number
  isActive: boolean
}

const MINUTE_MS = 60_000
const CONFIG_SERVICE_NAMES = Object.keys(CONFIG_SERVICES) as ConfigService[]

export function formOf(provider?: CliProvider): ProviderForm {
  const from = provider ?? { ...CLI_PROVIDER_DEFAULTS, name: '', displayName: '', binary: '' }
  return {
    name: from.name,
    displayName: from.displayName,
    binary: from.binary,
    defaultArgs: from.defaultArgs.join('\n'),
    promptTemplate: from.promptTemplate ?? '',
    promptVia: from.promptVia,
    outputFormat: from.outputFormat,
    authMethod: from.authMethod,
    configServiceName:
      CONFIG_SERVICE_NAMES.find((name) => name === from.configServiceName) ?? CONFIG_SERVICE_NAMES[0] ?? 'coding-codex',
    apiKeyEnvVar: from.apiKeyEnvVar ?? '',
    defaultTimeoutMinutes: from.defaultTimeoutMs / MINUTE_MS,
    maxTimeoutMinutes: from.maxTimeoutMs / MINUTE_MS,
    isActive: from.isActive,
  }
}

/** All fields but the name, which stays. */
export function changeOf(form: ProviderForm) {
  return {
    display_name: form.displayName.trim(),
    binary: form.binary.trim(),
    default_args: listIn(form.defaultArgs),
    prompt_template: form.promptTemplate.trim() || null,
    prompt_via: form.promptVia,
    output_format: form.outputFormat,
    auth_method: form.authMethod,
    config_service_name: form.authMethod === 'config_center' ? form.configServiceName : null,
    api_key_env_var: form.authMethod === 'none' ? null : form.apiKeyEnvVar.trim() || null,
    default_timeout_ms: Math.round(form.defaultTimeoutMinutes * MINUTE_MS),
    max_timeout_ms: Math.round(form.maxTimeoutMinutes * MINUTE_MS),
    is_active: form.isActive,
  } satisfies UpdateCliProvider
}
export const creationOf = (form: ProviderForm): CreateCliProvider => ({ name: form.name.trim(), ...changeOf(form) })

/** What stands for the file's path, which each task has another of. */
const FILE = '/proc/77/fd/3'
/** The same for the file with the servers of its connectors. */
const MCP_CONFIG = '/proc/77/fd/5'

/**
 * The arguments of a task with these values and with connectors, by the server's own code. Null: the template cannot be split, or there is
 * no program yet.
 */
export function dryRun(form: ProviderForm, values: { prompt: string; cwd: string; model: string }): string[] | null {
  const binary = form.binary.trim()
  const promptTemplate = form.promptTemplate.trim() || null
  if (binary === '' || (promptTemplate !== null && entriesOf(promptTemplate) === null)) return null
  const cli = { binary, defaultArgs: listIn(form.defaultArgs), promptTemplate, promptVia: form.promptVia }
  const argv = argvOf(cli, { ...values, model: values.model.trim() || null, mcp_config: MCP_CONFIG })
  return form.promptVia === 'file' ? [...argv, FILE] : argv
}
