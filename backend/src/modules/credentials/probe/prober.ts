/** Asks a provider whether a credential works, and answers with a sentence. */
import type { CredentialTest } from '@slipway/protocol'
import type { OpenCredential } from '../provision/environment.ts'
import { ASK_TIMEOUT_MS, askStatus } from './ask.ts'
import { ForbiddenAddressError, type Networks } from './networks.ts'
import { probeOf, PROVIDERS, type Providers } from './providers.ts'

/** Names the client; GitHub refuses a request without it. */
const USER_AGENT = 'slipway'

export class Prober {
  readonly #networks: Networks
  readonly #providers: Providers

  /** @param providers replaces the real ones, for an installation behind mirrors and for tests */
  constructor(networks: Networks, providers: Providers = PROVIDERS) {
    this.#networks = networks
    this.#providers = providers
  }

  /** Never throws because of the provider. Only the status of its answer is used, so none of its text can be shown. */
  async ask(credential: OpenCredential): Promise<CredentialTest> {
    const probe = probeOf(credential.kind)
    if (!probe)
      return { result: 'unclear', message: 'No request can test it. Whether it works shows when a program uses it.' }
    if (probe.form && !probe.form.pattern.test(credential.secret))
      return { result: 'unclear', message: probe.form.sentence }
    const { url, headers } = probe.question(credential, this.#providers)
    const { host } = url
    try {
      const status = await askStatus({ url, headers: { ...headers, 'user-agent': USER_AGENT } }, this.#networks)
      if (status >= 200 && status < 300) return { result: 'valid', message: `${host} accepts it.` }
      if (probe.refusals.includes(status))
        return { result: 'refused', message: `${host} refuses it (status ${status}).` }
      return {
        result: 'unclear',
        message: `${host} answered with status ${status}, which does not say whether the credential works.`,
      }
    } catch (error) {
      return failure(host, error)
    }
  }
}

const failure = (host: string, error: unknown): CredentialTest => {
  if (error instanceof ForbiddenAddressError)
    return {
      result: 'unclear',
      message:
        `The server found no public address of ${host}, and contacts no private one. The credential may still work in the agent. ` +
        'An admin can allow the address with SLIPWAY_PRIVATE_GATEWAYS.',
    }
  const late = error instanceof Error && error.name === 'TimeoutError'
  return {
    result: 'unreachable',
    message: late
      ? `${host} did not answer within ${ASK_TIMEOUT_MS / 1000} seconds.`
      : `${host} cannot be reached from the server${codeOf(error)}.`,
  }
}

/** The system's own code, such as ECONNREFUSED: short, known, and without foreign text. */
const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? ` (${code})` : ''
}
