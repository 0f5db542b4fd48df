import type { CredentialInForce, CredentialService, Provider } from '@slipway/protocol'

const SOURCES = { agent: "this agent's", user: 'yours', platform: 'the shared one' } as const

const SERVICES: Record<CredentialService, string> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  gemini: 'Gemini',
  github: 'GitHub',
  git: 'other git host',
}

/** Which credential a program in the reader's terminal gets. */
export interface GivenTo {
  readonly id: string
  /** The program, or what the credential is for. */
  readonly label: string
  readonly text: string
  readonly isNone: boolean
  /** Why the program does not get the reader's own credential, and other surprises. */
  readonly reasons: readonly string[]
}

/** One entry for each coding CLI, and one for each kind of token, which all CLIs get. */
export function givenTo(inForce: readonly CredentialInForce[], providers: readonly Provider[]): GivenTo[] {
  const ofClis = providers
    .filter(({ id }) => id !== 'bash')
    .map(({ id, label, services }) => {
      const own = inForce.filter(({ service }) => services.includes(service))
      const given = own.filter(({ source }) => source !== 'none')
      const name = services.length > 1 ? nameOf : sourceOf
      return {
        id,
        label,
        text: given.map(name).join(', ') || 'none: sign in inside the terminal',
        isNone: given.length === 0,
        reasons: reasonsOf(own),
      }
    })
  const tokens = inForce
    .filter(({ service }) => isToken(service))
    .map((one) => ({
      id: one.service,
      label: one.service === 'github' ? 'git on GitHub' : 'git elsewhere',
      text: one.source === 'none' ? 'none' : sourceOf(one),
      isNone: one.source === 'none',
      reasons: reasonsOf([one]),
    }))
  return [...ofClis, ...tokens]
}

const isToken = (service?: CredentialService): boolean => service === 'github' || service === 'git'

/** The source with its service, for a program that can use several services: "yours (Anthropic)". */
const nameOf = (one: CredentialInForce): string => `${sourceOf(one)} (${SERVICES[one.service]})`

function sourceOf({ source, because }: CredentialInForce): string {
  if (source === 'none') return 'none'
  return because === 'unreadable' ? `${SOURCES[source]}, which cannot be decrypted` : SOURCES[source]
}

const reasonsOf = (those: readonly CredentialInForce[]): string[] => [
  ...new Set(those.map(reasonInWords).filter((reason) => reason !== null)),
]

/** Why the program gets another credential than the reader may expect, or null. */
export function reasonInWords({
  because,
  service,
}: Pick<CredentialInForce, 'because'> & Partial<CredentialInForce>): string | null {
  switch (because) {
    case 'shared':
      return 'Your own is not used, because the people with access to this agent could read it.'
    case 'was_shared':
      return 'Your own is not used: other people were in this agent, and may have left a program or a start-up file that reads it.'
    case 'not_yours':
      return 'Your own is not used, because other people in this agent could read it.'
    case 'off':
      return `Saved ${isToken(service) ? 'tokens' : 'keys'} are off for this agent.`
    default:
      return null
  }
}
