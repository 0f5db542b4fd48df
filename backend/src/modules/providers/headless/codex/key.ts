/** Which key Codex uses, and where the key goes. */

type Variables = Readonly<Record<string, string>>

const OPENAI = 'https://api.openai.com/v1'
/** The variable with the address of another model server. Codex itself does not read it. */
const ADDRESS = 'OPENAI_BASE_URL'
/** How keys begin: OpenAI's own, and those of Vercel's AI gateway. */
const KEY = /^(?:sk-|vck[-_])/

/**
 * The address to which the key goes; null if the variable has no http address, or one with a secret. Codex gets it as an
 * argument, which every process of the container can read.
 */
const addressIn = (variables: Variables): string | null => {
  const text = variables[ADDRESS] ?? ''
  if (text === '') return OPENAI
  const url = URL.parse(text)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return null
  return `${url.username}${url.password}${url.search}${url.hash}` === '' ? url.href.replace(/[?#/]+$/, '') : null
}

/**
 * The arguments with which Codex uses the key of its environment. They fail without one.
 *
 * In a terminal Codex reads no key from its environment (`codex exec` does), except for a model provider that names the
 * variable. This is Codex's own model provider, with the variable named. With an address that cannot be used there are
 * none, so that the key of another server does not go to OpenAI.
 */
export const keyArgv = (variables: Variables): readonly string[] => {
  const address = addressIn(variables)
  if (address === null) return []
  return Object.entries({
    model_provider: 'slipway',
    'model_providers.slipway.name': 'OpenAI',
    'model_providers.slipway.base_url': address,
    'model_providers.slipway.env_key': 'OPENAI_API_KEY',
    'model_providers.slipway.wire_api': 'responses',
  }).flatMap(([name, value]) => ['-c', `${name}=${JSON.stringify(value)}`])
}

/** Why the key of these variables cannot work, as a sentence; null if it may. Another server's keys have any form. */
export const keyRefusalOf = (variables: Variables): string | null => {
  const key = variables.OPENAI_API_KEY ?? ''
  if (key === '') return null
  const address = addressIn(variables)
  if (address === null)
    return (
      `The agent's variable ${ADDRESS} must be an address that begins with https:// or http://, ` +
      'without a user name, a password, a query or a fragment: other programs of the agent can read it.'
    )
  if (address !== OPENAI || KEY.test(key)) return null
  return (
    'The OpenAI key for this task does not begin with sk- or vck-, so it is no key of OpenAI. ' +
    `Set another key, or set the agent's variable ${ADDRESS} if the key is for another model server.`
  )
}
