/** What programs in agents are given: credentials, connectors and variables that their owners have. Each answer is a name. */
import { type CredentialOwner, ownerColumns } from '../../../src/modules/credentials/owner.ts'
import type { World } from './world.ts'

/** A kind of credential whose test contacts no service. */
export const CREDENTIAL = 'git-token'
export const VARIABLE = 'OF_THE_WALK'
export const CONNECTOR = 'of-the-walk'

export const hasCredential = async ({ database }: World, owner: CredentialOwner): Promise<string> => {
  const row = { ...ownerColumns(owner), kind: CREDENTIAL, sealed: new Uint8Array(), keyId: '' }
  await database.prisma.credential.createMany({ data: [row], skipDuplicates: true })
  return CREDENTIAL
}

export const hasConnector = async ({ database }: World, owner: CredentialOwner): Promise<string> => {
  const row = { ...ownerColumns(owner), name: CONNECTOR, kind: 'http', enabled: true }
  const data = [{ ...row, sealed: new Uint8Array(), keyId: '' }]
  await database.prisma.connector.createMany({ data, skipDuplicates: true })
  return CONNECTOR
}

export const hasVariable = async ({ database }: World, agentId: string): Promise<string> => {
  const row = { agentId, name: VARIABLE, secret: true, sealed: new Uint8Array(), keyId: '' }
  await database.prisma.agentVariable.createMany({ data: [row], skipDuplicates: true })
  return VARIABLE
}
