/** The cheapest request of each provider that requires its credential. */
import type { CredentialKind } from '@slipway/protocol'
import type { OpenCredential } from '../provision/environment.ts'
import type { Question } from './ask.ts'

/** The addresses of the providers. */
export const PROVIDERS = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com',
  gemini: 'https://generativelanguage.googleapis.com',
  github: 'https://api.github.com',
} as const
export type Providers = Readonly<Record<keyof typeof PROVIDERS, string>>

/** Requests a single model if a list could be long. */
interface Probe {
  question(credential: OpenCredential, providers: Providers): Question
  /** Statuses that mean that the provider refuses the credential. */
  readonly refusals: readonly number[]
  /** How its keys begin. Another secret is not sent. Absent: they have no form of their own. */
  readonly form?: { readonly pattern: RegExp; readonly sentence: string }
}

const UNAUTHORIZED = [401, 403]
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
/** Anthropic's API requires its version in each request. */
const ANTHROPIC_VERSION = { 'anthropic-version': '2023-06-01' }

const PROBES: Readonly<Partial<Record<CredentialKind, Probe>>> = {
  'ai-gateway': {
    question: ({ secret, address }) => ({
      url: new URL(`${address ?? ''}/v1/models`),
      headers: { ...bearer(secret), ...ANTHROPIC_VERSION },
    }),
    refusals: UNAUTHORIZED,
  },
  'anthropic-api-key': {
    question: ({ secret }, { anthropic }) => ({
      url: new URL('/v1/models?limit=1', anthropic),
      headers: { 'x-api-key': secret, ...ANTHROPIC_VERSION },
    }),
    refusals: UNAUTHORIZED,
  },
  'openai-api-key': {
    question: ({ secret }, { openai }) => ({ url: new URL('/v1/models', openai), headers: bearer(secret) }),
    refusals: UNAUTHORIZED,
    form: {
      pattern: /^sk-/,
      sentence:
        'It is no key of OpenAI, whose keys begin with sk-, so it was not sent there. It may be a key of the server that ' +
        "an agent's variable OPENAI_BASE_URL names.",
    },
  },
  'gemini-api-key': {
    question: ({ secret }, { gemini }) => ({
      url: new URL('/v1beta/models?pageSize=1', gemini),
      headers: { 'x-goog-api-key': secret },
    }),
    // Gemini answers 400 for an unknown key.
    refusals: [400, ...UNAUTHORIZED],
  },
  'github-token': {
    // Needs no scope, unlike `/user`, but still refuses an invalid token.
    question: ({ secret }, { github }) => ({ url: new URL('/rate_limit', github), headers: bearer(secret) }),
    refusals: UNAUTHORIZED,
  },
}

/** Null for a kind that no request can test. */
export const probeOf = (kind: CredentialKind): Probe | null => PROBES[kind] ?? null
