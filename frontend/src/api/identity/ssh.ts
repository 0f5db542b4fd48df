import type { AddSshKey, SshKey, SshKeys, SshServer } from '@slipway/protocol'
import { http } from '../transport/client.ts'

/** The user's own keys, newest first. */
export const listSshKeys = async () => (await http.request<SshKeys>('GET', '/ssh-keys')).items
export const addSshKey = (body: AddSshKey) => http.request<SshKey>('POST', '/ssh-keys', body)
/** Removes a key. Its connections close. */
export const removeSshKey = (id: string) => http.send('DELETE', `/ssh-keys/${encodeURIComponent(id)}`)

/** Where agents are reached by SSH. */
export const readSshServer = () => http.request<SshServer>('GET', '/ssh')
