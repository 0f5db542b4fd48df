/** The fields of custom providers: as requests name them, and what they must be together. */
import {
  type CliProvider,
  CLI_PROVIDER_DEFAULTS,
  type CreateCliProvider,
  entriesOf,
  type UpdateCliProvider,
} from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import type { ProviderFields, ProviderRow } from './repository.ts'

/** The fields that a request names. */
const given = (body: UpdateCliProvider): Partial<ProviderFields> => {
  const fields: { [Name in keyof ProviderFields]?: ProviderFields[Name] | undefined } = {
    displayName: body.display_name?.trim(),
    binary: body.binary,
    description: body.description,
    category: body.category,
    icon: body.icon,
    color: body.color,
    authMethod: body.auth_method,
    configServiceName: body.config_service_name,
    apiKeyEnvVar: body.api_key_env_var,
    defaultArgs: body.default_args,
    promptTemplate: body.prompt_template,
    promptVia: body.prompt_via,
    outputFormat: body.output_format,
    defaultTimeoutMs: body.default_timeout_ms,
    maxTimeoutMs: body.max_timeout_ms,
    isActive: body.is_active,
  }
  const named = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(named)
}

/** The fields of a new provider. Throws `VALIDATION`. */
export const fieldsOf = ({ name, display_name, binary, ...further }: CreateCliProvider): ProviderFields =>
  checked({ ...CLI_PROVIDER_DEFAULTS, ...given(further), name, displayName: display_name.trim(), binary })

/** The provider after a change. Throws `VALIDATION`. */
export const changed = (before: ProviderRow, body: UpdateCliProvider, at: Date): ProviderRow =>
  checked({ ...before, ...given(body), updatedAt: at })

const wrong = (field: string, message: string): AppError => new AppError('VALIDATION', `body.${field}: ${message}`)

const checked = <T extends ProviderFields>(fields: T): T => {
  const { authMethod, configServiceName, apiKeyEnvVar, promptTemplate, promptVia } = fields
  if (authMethod === 'config_center' && configServiceName === null)
    throw wrong('config_service_name', 'must be given with auth_method config_center')
  if (authMethod !== 'none' && apiKeyEnvVar === null)
    throw wrong('api_key_env_var', `must be given with auth_method ${authMethod}`)
  if (fields.defaultTimeoutMs > fields.maxTimeoutMs)
    throw wrong('default_timeout_ms', 'must not be higher than max_timeout_ms')
  if (promptTemplate !== null) checkTemplate(promptTemplate, promptVia === 'argument')
  return fields
}

const checkTemplate = (template: string, isArgument: boolean): void => {
  const entries = entriesOf(template)
  if (entries === null) throw wrong('prompt_template', 'has a quote that is not closed, or ends with a backslash')
  const hasPrompt = entries.some((entry) => entry.includes('{prompt}'))
  if (isArgument && !hasPrompt)
    throw wrong('prompt_template', 'must contain {prompt}, or prompt_via must be stdin or file')
  if (!isArgument && hasPrompt) throw wrong('prompt_template', 'may contain {prompt} only with prompt_via argument')
}

/** As the API answers it. */
export const present = (row: ProviderRow): CliProvider => ({
  ...row,
  defaultArgs: [...row.defaultArgs],
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})
