import type { CredentialInForce, CredentialService, Provider } from '@slipway/protocol'
import { expect, test } from 'vitest'
import { givenTo } from './inForce.ts'

const provider = (id: string, services: CredentialService[]): Provider => ({
  id,
  mode: id,
  label: id,
  services,
  models: [],
  canSkipPermissions: false,
  canAskPeople: false,
  canPlan: false,
  signIn: null,
})
const PROVIDERS = [
  provider('claude', ['anthropic']),
  provider('opencode', ['anthropic', 'openai', 'gemini']),
  provider('copilot', ['github']),
  provider('cursor', []),
  provider('bash', []),
]
const force = (changes: Partial<Record<CredentialService, Partial<CredentialInForce>>>): CredentialInForce[] =>
  (['anthropic', 'openai', 'gemini', 'github', 'git'] as const).map((service) => ({
    service,
    kind: null,
    source: 'none',
    because: null,
    ...changes[service],
  }))
const texts = (changes: Parameters<typeof force>[0]): Record<string, string> =>
  Object.fromEntries(givenTo(force(changes), PROVIDERS).map(({ id, text }) => [id, text]))

const NONE = 'none: sign in inside the terminal'

test('every CLI but the shell has a line, and so have the tokens for git', () => {
  expect(texts({})).toEqual({ claude: NONE, opencode: NONE, copilot: NONE, cursor: NONE, github: 'none', git: 'none' })
})

test('a CLI that can use several keys names each that it gets', () => {
  expect(texts({ anthropic: { source: 'user' }, gemini: { source: 'platform' } })).toMatchObject({
    claude: 'yours',
    opencode: 'yours (Anthropic), the shared one (Gemini)',
  })
  expect(texts({ github: { source: 'agent' } })).toMatchObject({ copilot: "this agent's", github: "this agent's" })
})

test('a key that cannot be decrypted is no good, and says so', () => {
  const unreadable = { source: 'user', because: 'unreadable' } as const
  expect(texts({ anthropic: unreadable })).toMatchObject({ claude: 'yours, which cannot be decrypted' })
})

test('each reason stands once for each CLI', () => {
  const off = { because: 'off' } as const
  const [claude, opencode, copilot] = givenTo(force({ anthropic: off, openai: off, github: off }), PROVIDERS)
  expect(claude?.reasons).toEqual(['Saved keys are off for this agent.'])
  expect(opencode?.reasons).toEqual(['Saved keys are off for this agent.'])
  // The agent's switch for tokens is another one.
  expect(copilot?.reasons).toEqual(['Saved tokens are off for this agent.'])
})
