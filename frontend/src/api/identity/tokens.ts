import type { ApiToken, CreateApiToken, CreatedApiToken, DeviceLogin } from '@slipway/protocol'
import { http } from '../transport/client.ts'
import { listAll } from '../transport/pages.ts'

export const listTokens = () => listAll<ApiToken>('/tokens')
export const createToken = (body: CreateApiToken) => http.request<CreatedApiToken>('POST', '/tokens', body)
export const revokeToken = (id: string) => http.send('DELETE', `/tokens/${encodeURIComponent(id)}`)

/** What the program with this code asks for. */
export const findDeviceLogin = (userCode: string) =>
  http.request<DeviceLogin>('POST', '/device-logins/lookup', { userCode })
/** Allows it this token. Null denies it. */
export const decideDeviceLogin = (userCode: string, token: CreateApiToken | null) =>
  http.send('POST', '/device-logins/decision', { userCode, token })
