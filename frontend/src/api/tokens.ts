import type { ApiToken, CreateApiToken, CreatedApiToken } from '@slipway/protocol'
import { http } from './client.ts'
import { listAll } from './pages.ts'

export const listTokens = () => listAll<ApiToken>('/tokens')
export const createToken = (body: CreateApiToken) => http.request<CreatedApiToken>('POST', '/tokens', body)
export const revokeToken = (id: string) => http.send('DELETE', `/tokens/${encodeURIComponent(id)}`)
