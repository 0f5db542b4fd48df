/** SSH: the keys of users, and where the server listens. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../common.ts'

/** Most keys that one user may have. */
export const SSH_KEYS_MAX = 50
/** Longest text that is read as a key, in characters. A private key fits, so that its user learns what it is. */
export const SSH_KEY_TEXT_MAX = 16_384

/** A public key with which its user reaches agents by SSH. */
export const SshKey = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    publicKey: Type.String({ description: 'One line as in a `.pub` file, without its comment.' }),
    fingerprint: Type.String({ description: '`SHA256:…`, as `ssh-keygen -l` prints it.' }),
    createdAt: Timestamp,
    lastUsedAt: Nullable(Timestamp),
  },
  { additionalProperties: false },
)
export type SshKey = Static<typeof SshKey>

export const SshKeys = Type.Object({ items: Type.Array(SshKey) }, { additionalProperties: false })
export type SshKeys = Static<typeof SshKeys>

export const AddSshKey = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }),
    publicKey: Type.String({
      maxLength: SSH_KEY_TEXT_MAX,
      description: 'The line of a `.pub` file. Its comment is not stored.',
    }),
  },
  { additionalProperties: false },
)
export type AddSshKey = Static<typeof AddSshKey>

/** Where agents are reached by SSH, each as the user with its name. */
export const SshServer = Type.Object(
  {
    /** Null: the operator has not turned SSH on. */
    address: Nullable(
      Type.Object(
        {
          host: Type.String(),
          port: Type.Integer({ minimum: 1, maximum: 65_535 }),
          fingerprint: Type.String({ description: 'Of the key of the server: `SHA256:…`.' }),
          knownHosts: Type.String({ description: 'The line for `~/.ssh/known_hosts`.' }),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)
export type SshServer = Static<typeof SshServer>
/** The address of a server that has SSH turned on. */
export type SshServerAddress = NonNullable<SshServer['address']>
