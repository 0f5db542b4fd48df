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

/** What is wrong with a name, or null. */
export function nameProblem(name: string): string | null {
  if (name === '') return 'It needs a name.'
  if (name.length > 40) return 'At most 40 characters.'
  if (/[A-Z]/.test(name)) return 'Lower case only: it becomes part of a host name.'
  return pattern.test(name) ? null : 'Letters a to z, digits and hyphens; a hyphen neither first nor last.'
}
