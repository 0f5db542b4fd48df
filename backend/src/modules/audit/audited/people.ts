/** Users, and how they prove who they are. */
import type * as models from '../../../database/generated/client.ts'
import type { Columns } from './columns.ts'

export const PEOPLE = {
  User: {
    id: 'ignored',
    email: 'recorded',
    role: 'recorded',
    passwordHash: 'secret',
    disabledAt: 'recorded',
    createdAt: 'ignored',
  } satisfies Columns<models.User>,
  SignIn: {
    id: 'ignored',
    userId: 'ignored',
    refreshHash: 'secret',
    keyHash: 'secret',
    previousHash: 'secret',
    rotatedAt: 'ignored',
    userAgent: 'recorded',
    createdAt: 'ignored',
    // Changes with every refresh, which is not an event.
    lastUsedAt: 'ignored',
    expiresAt: 'ignored',
    revokedAt: 'ignored',
  } satisfies Columns<models.SignIn>,
  ApiToken: {
    id: 'ignored',
    userId: 'ignored',
    name: 'recorded',
    tokenHash: 'secret',
    scopes: 'recorded',
    createdAt: 'ignored',
    expiresAt: 'recorded',
    lastUsedAt: 'ignored',
  } satisfies Columns<models.ApiToken>,
  SshKey: {
    id: 'ignored',
    userId: 'ignored',
    name: 'recorded',
    // The fingerprint says which key it is.
    publicKey: 'ignored',
    fingerprint: 'recorded',
    createdAt: 'ignored',
    lastUsedAt: 'ignored',
  } satisfies Columns<models.SshKey>,
  Link: {
    id: 'ignored',
    purpose: 'recorded',
    tokenHash: 'secret',
    userId: 'ignored',
    createdAt: 'ignored',
    expiresAt: 'recorded',
  } satisfies Columns<models.Link>,
} as const
