import { AGENT_NAME_PATTERN } from '@slipway/protocol'

const pattern = new RegExp(AGENT_NAME_PATTERN)

/**
 * The nearest valid name for an agent: "Tour Claude" becomes "tour-claude". Empty if the text has no letter or digit of
 * the Latin alphabet. The name may be too long; the user has to shorten it.
 */
export function agentNameOf(text: string): string {
  if (pattern.test(text)) return text
  return text
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

/** Why the text is no valid name for an agent, or null. */
export function nameProblem(name: string): string | null {
  const wanted = agentNameOf(name)
  if (name.trim() === '') return 'Enter a name.'
  if (wanted.length > 40) return 'Use at most 40 characters.'
  return pattern.test(wanted) ? null : 'Use the letters a to z, digits and hyphens.'
}
