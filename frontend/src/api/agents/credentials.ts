import type {
  CliAccess,
  Credential,
  CredentialInForce,
  CredentialKind,
  CredentialTest,
  SecretKeyStatus,
  SetCredential,
} from '@slipway/protocol'
import { agentPath } from './agents.ts'
import { http } from '../transport/client.ts'
import { listAll } from '../transport/pages.ts'

/** Paths of credentials below `/api`: the user's own, the platform's, an agent's. */
export const MY_CREDENTIALS = '/users/me/credentials'
export const PLATFORM_CREDENTIALS = '/platform/credentials'
export const agentCredentials = (key: string): string => `${agentPath(key)}/credentials`

export const listCredentials = (path: string) => listAll<Credential>(path)
export const setCredential = (path: string, kind: CredentialKind, body: SetCredential) =>
  http.request<Credential>('PUT', `${path}/${kind}`, body)
export const removeCredential = (path: string, kind: CredentialKind) => http.send('DELETE', `${path}/${kind}`)
export const testCredential = (path: string, kind: CredentialKind) =>
  http.request<CredentialTest>('POST', `${path}/${kind}/test`, undefined, 'harmless')

export const listInForce = (key: string) => listAll<CredentialInForce>(`${agentPath(key)}/credentials-in-force`)
export const listCliAccess = (key: string) => listAll<CliAccess>(`${agentPath(key)}/cli-access`)
export const listMyCliAccess = () => listAll<CliAccess>('/users/me/cli-access')
export const readSecretKeyStatus = () => http.request<SecretKeyStatus>('GET', '/platform/secret-key')
