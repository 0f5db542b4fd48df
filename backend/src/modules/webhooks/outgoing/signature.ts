/** The headers of a delivery. */
import { createHmac } from 'node:crypto'
import { newSecret } from '../../../lib/secrets/secrets.ts'

/** Begins each secret, so that scanners find it where it does not belong. */
const SECRET_PREFIX = 'slipway_whs_'

export const newHookSecret = (): string => `${SECRET_PREFIX}${newSecret()}`

/** HMAC-SHA256 over the time stamp, a dot and the body, in hexadecimal. */
export const signatureOf = (secret: string, timestamp: string, body: string): string =>
  createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')

interface Signed {
  readonly id: string
  readonly kind: string
  readonly body: string
  readonly secret: string
  /** In milliseconds since 1970. */
  readonly now: number
}

/** The time stamp is that of the attempt, so that receivers can refuse old ones. */
export const headersOf = ({ id, kind, body, secret, now }: Signed): Record<string, string> => {
  const timestamp = String(Math.floor(now / 1000))
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Slipway-Webhook',
    'x-slipway-event': kind,
    'x-slipway-delivery': id,
    'x-slipway-timestamp': timestamp,
    'x-slipway-signature': `sha256=${signatureOf(secret, timestamp, body)}`,
  }
}
