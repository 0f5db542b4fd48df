/** Encrypts a message for a browser and hands it to the browser's push service (RFC 8030, 8291, 8292). */
import { buildPushPayload } from '@block65/webcrypto-web-push'
import type { PushMessage } from '@slipway/protocol'
import { askStatus } from '../../credentials/probe/ask.ts'
import { ForbiddenAddressError, type Networks } from '../../credentials/probe/networks.ts'
import { PUSH_TIMEOUT_MS, PUSH_TTL_SECONDS } from '../bounds.ts'
import type { PushKeyRepository } from './key-repository.ts'
import type { DeviceRow } from './repository.ts'

/** What became of an attempt. `error` is a sentence without words of the push service, and without the address. */
export type Sent = { readonly outcome: 'sent' | 'gone' } | { readonly outcome: 'failed'; readonly error: string }

interface Deps {
  readonly keys: Pick<PushKeyRepository, 'keys'>
  readonly networks: Pick<Networks, 'checkLiteral' | 'lookup'>
  /** The address of the server for users. */
  readonly baseUrl: () => string
}

/** RFC 8292 wants an address of the operator. A server without https has none that a push service takes. */
const NO_CONTACT = 'mailto:slipway@localhost'

const failed = (error: string): Sent => ({ outcome: 'failed', error })

export class PushSender {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Sends once. Never throws for what the push service does. */
  async send(device: DeviceRow, message: PushMessage, signal: AbortSignal): Promise<Sent> {
    const { keys, networks, baseUrl } = this.#deps
    if (keys.keys === null) return failed('The server cannot read its keys for pushes.')
    const { endpoint, p256dh, auth } = device
    const url = new URL(endpoint)
    const subject = baseUrl().startsWith('https:') ? baseUrl() : NO_CONTACT
    const { headers, body } = await buildPushPayload(
      { data: JSON.stringify(message), options: { ttl: PUSH_TTL_SECONDS, urgency: 'high' } },
      { endpoint, expirationTime: null, keys: { p256dh, auth } },
      { subject, ...keys.keys },
    )
    try {
      const status = await askStatus({ url, headers, body, signal }, networks, PUSH_TIMEOUT_MS)
      if (status >= 200 && status < 300) return { outcome: 'sent' }
      if (status === 404 || status === 410) return { outcome: 'gone' }
      return failed(`The push service refused it with status ${status}.`)
    } catch (error) {
      if (error instanceof ForbiddenAddressError)
        return failed('The push service is not known, or its address is not public.')
      return failed('The push service did not answer.')
    }
  }
}
