/** Codex. */
import { AGENT_HOME } from '@slipway/protocol'
import { jsonFile, jsonText, PLACEHOLDER_KEY, type Provider } from './provider.ts'

/**
 * In a terminal Codex reads no key from its environment (`codex exec` does), except for a model provider that names the
 * variable. This is Codex's own model provider, with the variable named.
 */
const MODEL_PROVIDER = {
  model_provider: '"slipway"',
  'model_providers.slipway.name': '"OpenAI"',
  'model_providers.slipway.base_url': '"https://api.openai.com/v1"',
  'model_providers.slipway.env_key': '"OPENAI_API_KEY"',
  'model_providers.slipway.wire_api': '"responses"',
}

export const codex: Provider = {
  id: 'codex',
  mode: 'codex',
  label: 'Codex',
  inImage: true,
  services: ['openai'],
  models: ['gpt-6.1-sol', 'gpt-6.1-terra', 'gpt-6-luna'],
  canSkipPermissions: true,
  terminalArgv: ({ model, skips, hasKey }) => [
    'codex',
    // Its background server would copy 400 MB into the home and outlive the terminal.
    '--no-daemon',
    ...(skips ? ['--dangerously-bypass-approvals-and-sandbox'] : []),
    ...(hasKey ? Object.entries(MODEL_PROVIDER).flatMap(([name, value]) => ['-c', `${name}=${value}`]) : []),
    ...model,
  ],
  signIn: 'codex login --device-auth',
  signedInBy: [
    [{ path: '.codex/auth.json', has: jsonText('access_token|refresh_token') }],
    [{ path: '.codex/auth.json', has: `"OPENAI_API_KEY"\\s*:\\s*"(?!${PLACEHOLDER_KEY}")[^"]` }],
    // The user's own model server, with or without a key.
    [{ path: '.codex/config.toml', has: '^[ \\t]*model_provider[ \\t]*=' }],
  ],
  noticeWithoutKey: 'Codex needs a sign-in before it can answer: run "codex login --device-auth" in bash.',
  homeFiles: [
    {
      path: '.codex/config.toml',
      mode: 0o600,
      // It names no model: a model that Codex does not know leads to another question.
      content: `check_for_update_on_startup = false\n\n[projects."${AGENT_HOME}"]\ntrust_level = "trusted"\n`,
    },
    {
      path: '.codex/auth.json',
      mode: 0o600,
      // Without this file Codex opens a sign-in menu. `codex login` replaces it.
      content: jsonFile({ OPENAI_API_KEY: PLACEHOLDER_KEY }),
    },
  ],
}
