import type { CredentialInForce } from '@slipway/protocol'

const SOURCES = { agent: "this agent's", user: 'yours', platform: "the platform's" } as const

/** Whose credential a terminal of the reader's is given, in words. */
export function sourceInWords({ service, source, because }: CredentialInForce): string {
  if (source !== 'none') return because === 'unreadable' ? `${SOURCES[source]}, which cannot be read` : SOURCES[source]
  return service === 'github' || service === 'git' ? 'none' : 'none: log in inside the terminal'
}

/** Why it is not what one may expect, or null. */
export function reasonInWords({ because }: CredentialInForce): string | null {
  switch (because) {
    case 'shared':
      return 'Yours is not used here: whoever this agent is shared with could read it.'
    case 'was_shared':
      return 'Yours is not used here: others were in this agent, and may have left something that reads it.'
    case 'not_yours':
      return 'Yours is not used here: the others in this agent could read it.'
    case 'off':
      return 'Switched off for this agent.'
    default:
      return null
  }
}
