/** Keys for SSH, as users have them. */
import { generateKeyPairSync } from 'node:crypto'
import { inFields } from '../../../src/modules/identity/ssh-keys/fields.ts'

/** The line of a new Ed25519 key, without a comment. */
export const newPublicKey = (): string => {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  return `ssh-ed25519 ${inFields('ssh-ed25519', Buffer.from(x, 'base64url')).toString('base64')}`
}
