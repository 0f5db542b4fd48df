import type { ApiToken, CreateApiToken, CreatedApiToken } from '@slipway/protocol'
import { http } from './transport/client.ts'
import { listAll } from './transport/pages.ts'

export const listTokens = () => listAll<ApiToken>('/tokens')
export const createToken = (body: CreateApiToken) => http.request<CreatedApiToken>('POST', '/tokens', body)
export const revokeToken = (id: string) => http.send('DELETE', `/tokens/${encodeURIComponent(id)}`)
