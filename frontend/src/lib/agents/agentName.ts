import { AGENT_NAME_PATTERN } from '@slipway/protocol'

/** Names to begin with: what is built on a slipway, and short. */
const SUGGESTIONS = ['skiff', 'sloop', 'ketch', 'yawl', 'dory', 'cutter', 'tender', 'clipper', 'schooner', 'lugger']

/** A name that is free among those one can see. */
export function suggestName(taken: ReadonlySet<string>): string {
  const free = SUGGESTIONS.find((name) => !taken.has(name))
  if (free !== undefined) return free
  let number = 2
  while (taken.has(`agent-${number}`)) number += 1
  return `agent-${number}`
}

const pattern = new RegExp(AGENT_NAME_PATTERN)

/**
 * The nearest name that an agent can have: "Tour Claude" becomes "tour-claude". Empty where a text has no letter or digit of
 * the Latin alphabet. It may be too long, which is for the user to shorten.
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

/** What is wrong with a text as an agent's name, or null. */
export function nameProblem(name: string): string | null {
  const wanted = agentNameOf(name)
  if (name.trim() === '') return 'Enter a name.'
  if (wanted.length > 40) return 'Use at most 40 characters.'
  return pattern.test(wanted) ? null : 'Use the letters a to z, digits and hyphens.'
}
