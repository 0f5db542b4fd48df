/** The cheapest request of each provider that needs its credential. */
import type { CredentialKind } from '@slipway/protocol'
import type { OpenCredential } from '../environment.ts'
import type { Question } from './ask.ts'

/** Where the providers are. */
export const PROVIDERS = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com',
  gemini: 'https://generativelanguage.googleapis.com',
  github: 'https://api.github.com',
} as const
export type Providers = Readonly<Record<keyof typeof PROVIDERS, string>>

/** Asks for one model, where a list could be long. */
interface Probe {
  question(credential: OpenCredential, providers: Providers): Question
  /** Answers that mean "no". */
  readonly refusals: readonly number[]
}

const UNAUTHORIZED = [401, 403]
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
/** Anthropic's API wants its version named with each request. */
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
  },
  'gemini-api-key': {
    question: ({ secret }, { gemini }) => ({
      url: new URL('/v1beta/models?pageSize=1', gemini),
      headers: { 'x-goog-api-key': secret },
    }),
    // It calls a key that it does not know a bad request.
    refusals: [400, ...UNAUTHORIZED],
  },
  'github-token': {
    // Needs no scope, unlike `/user`, and still refuses a token that is none.
    question: ({ secret }, { github }) => ({ url: new URL('/rate_limit', github), headers: bearer(secret) }),
    refusals: UNAUTHORIZED,
  },
}

/** Null for a kind that no request can tell about. */
export const probeOf = (kind: CredentialKind): Probe | null => PROBES[kind] ?? null
