/** Where the secret of a webhook can be decrypted. */
import type { SecretPlace } from './keyring.ts'
import { ownerKey, PLATFORM } from '../owner.ts'

/** `userId` is null for the platform. A row edit thus cannot give a secret to another user or to another webhook. */
export const hookPlace = (
  direction: 'outgoing' | 'incoming',
  { id, userId }: { readonly id: string; readonly userId: string | null },
): SecretPlace => ({
  owner: ownerKey(userId === null ? PLATFORM : { type: 'user', id: userId }),
  kind: `webhook:${direction}:${id}`,
  address: null,
})
