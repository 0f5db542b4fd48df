/** The users of this installation: every service of the module, put together. */
import type { Clock } from '../../lib/time/clock.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { Database } from '../../database/open.ts'
import type { Audit } from '../audit/audit.ts'
import type { IdentityServices } from './routes.ts'
import { createAccessTokens } from './access-token.ts'
import { createApiTokenRepository } from './api-tokens/repository.ts'
import { createApiTokenService } from './api-tokens/service.ts'
import { createAuthenticator } from './authenticate.ts'
import { ChatAccountRepository } from './chat-accounts/repository.ts'
import { ChatAccountService } from './chat-accounts/service.ts'
import { createCredentials } from './credentials.ts'
import { DeviceLoginRepository } from './device-logins/repository.ts'
import { DeviceLoginService } from './device-logins/service.ts'
import { ExpiryWatch } from './expiry-watch.ts'
import { FailedLogins } from './failed-logins.ts'
import { KnownNetworks } from './networks.ts'
import { createPasswords, type Passwords } from './passwords.ts'
import { PreferenceRepository } from './preferences/repository.ts'
import { PreferenceService } from './preferences/service.ts'
import { createRevocations, type Revocations } from './revocations.ts'
import { createLinkRepository } from './setup/repository.ts'
import { createSetupService } from './setup/service.ts'
import { createSignInRepository } from './sign-ins/repository.ts'
import { createSignInService } from './sign-ins/service.ts'
import { SshKeyRepository } from './ssh-keys/repository.ts'
import { SshKeyService } from './ssh-keys/service.ts'
import type { Belongings } from './users/removal.ts'
import { createUserRepository, type EndWithUser } from './users/repository.ts'
import { createUserService } from './users/service.ts'

/** What {@link createIdentity} needs. */
export interface IdentityDeps {
  readonly prisma: Database['prisma']
  readonly audit: Audit
  /** The secret key; all keys of this module are derived from it. */
  readonly secretKey: Uint8Array
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  /** What users own. */
  readonly belongings: Belongings
  readonly endWithUser: EndWithUser
  /** Another hasher, for tests. */
  readonly passwords?: Passwords
}

/** What the rest of the server uses of this module. */
export interface Identity extends IdentityServices {
  readonly revocations: Revocations
  readonly expiryWatch: ExpiryWatch
  readonly chatAccounts: ChatAccountService
  /** Writes what is only counted so far. */
  close(): Promise<void>
}

/** Builds the services on one database. */
export function createIdentity({
  prisma,
  audit,
  secretKey,
  clock,
  newId,
  log,
  belongings,
  endWithUser,
  passwords = createPasswords(),
}: IdentityDeps): Identity {
  const onListenerError = (error: unknown): void => log.error({ err: error }, 'a listener for revocations failed')
  const revocations = createRevocations(onListenerError)
  const accessTokens = createAccessTokens(secretKey, clock)
  const knownNetworks = new KnownNetworks(clock)
  const checkPassword = createCredentials(passwords, knownNetworks, clock)
  const failedLogins = new FailedLogins({ audit, clock, log })
  const users = createUserRepository(prisma, audit, endWithUser)
  const signInRows = createSignInRepository(prisma, audit)
  const tokenRows = createApiTokenRepository(prisma, audit)
  const chatAccounts = new ChatAccountRepository(prisma, audit)

  const sshKeys = new SshKeyService({ sshKeys: new SshKeyRepository(prisma, audit), clock, newId, onListenerError })
  const setup = createSetupService({
    links: createLinkRepository(prisma, audit),
    passwords,
    failedLogins,
    clock,
    newId,
  })
  const signIns = createSignInService({
    users,
    signIns: signInRows,
    accessTokens,
    checkPassword,
    knownNetworks,
    failedLogins,
    revocations,
    clock,
    newId,
  })
  return {
    authenticator: createAuthenticator({
      accessTokens,
      users,
      signIns: signInRows,
      apiTokens: tokenRows,
      chatAccounts,
      revocations,
      clock,
    }),
    revocations,
    setup,
    signIns,
    users: createUserService({
      users,
      setup,
      passwords,
      checkPassword,
      failedLogins,
      belongings,
      sshKeys,
      revocations,
      clock,
      newId,
    }),
    expiryWatch: new ExpiryWatch({ signIns: signInRows, apiTokens: tokenRows, revocations, clock, log }),
    apiTokens: createApiTokenService({ apiTokens: tokenRows, revocations, clock, newId }),
    sshKeys,
    deviceLogins: new DeviceLoginService({
      logins: new DeviceLoginRepository(prisma, audit),
      apiTokens: tokenRows,
      newId,
      clock,
    }),
    chatAccounts: new ChatAccountService({ accounts: chatAccounts, newId, clock }),
    preferences: new PreferenceService(new PreferenceRepository(prisma), clock),
    close: () => failedLogins.close(),
  }
}
