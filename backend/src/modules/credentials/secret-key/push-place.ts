/** Where the private key for pushes can be decrypted. */
import type { SecretPlace } from './keyring.ts'
import { ownerKey, PLATFORM } from '../owner.ts'

/** The kind of the key, as the command that rotates the secret key names it. */
export const PUSH_KIND = 'push:vapid'

export const PUSH_PLACE: SecretPlace = { owner: ownerKey(PLATFORM), kind: PUSH_KIND, address: null }
