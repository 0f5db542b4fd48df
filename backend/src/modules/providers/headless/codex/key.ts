/** How Codex is told of a key in its environment. */

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

/** The arguments with which Codex uses the key of its environment. They fail without one. */
export const KEY_ARGV: readonly string[] = Object.entries(MODEL_PROVIDER).flatMap(([name, value]) => [
  '-c',
  `${name}=${value}`,
])
