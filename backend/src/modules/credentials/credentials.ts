/** The module, put together. */
import type { Clock } from '../../lib/clock.ts'
import type { Signal } from '../../lib/emitter.ts'
import type { NewId } from '../../lib/ids.ts'
import type { PrismaClient } from '../../database/generated/client.ts'
import type { Audit } from '../audit/audit.ts'
import { Keyring } from './keyring.ts'
import { Networks } from './probe/networks.ts'
import { Prober } from './probe/prober.ts'
import type { Providers } from './probe/providers.ts'
import { Provisioner } from './provision.ts'
import { CredentialRepository } from './repository.ts'
import { SecretKeyState } from './secret-key-state.ts'
import { CredentialService, type SetSecret } from './service.ts'

/** What {@link createCredentials} needs. */
export interface CredentialDeps {
  readonly prisma: PrismaClient
  readonly secretKey: Uint8Array
  readonly previousSecretKey: Uint8Array | null
  /** Hosts and networks that may be asked although they are not public. */
  readonly privateGateways: readonly string[]
  /** Others than the real ones. */
  readonly providers: Providers | undefined
  readonly audit: Audit
  readonly clock: Clock
  readonly newId: NewId
  readonly wasSet: Signal<SetSecret>
}

/** What the rest of the server uses of credentials. */
export interface Credentials {
  readonly credentials: CredentialService
  readonly provisioner: Provisioner
  readonly state: SecretKeyState
}

export const createCredentials = (deps: CredentialDeps): Credentials => {
  const { prisma, secretKey, previousSecretKey, privateGateways, providers, audit, clock, newId, wasSet } = deps
  const keyring = new Keyring(secretKey, previousSecretKey)
  const repository = new CredentialRepository(prisma)
  const state = new SecretKeyState(prisma, keyring)
  const prober = new Prober(new Networks(privateGateways), providers)
  const credentials = new CredentialService({ repository, keyring, state, prober, audit, clock, newId, wasSet })
  return { credentials, provisioner: new Provisioner(repository, credentials), state }
}
