import type { DiscordAccount, DiscordChannels, DiscordCode } from '@slipway/protocol'
import { agentPath } from '../agents/agents.ts'
import { http } from '../transport/client.ts'

const ACCOUNT = '/users/me/discord'

export const readDiscordAccount = () => http.request<DiscordAccount>('GET', ACCOUNT)
/** A code that links one account. It replaces an earlier one. */
export const makeDiscordCode = () => http.request<DiscordCode>('POST', `${ACCOUNT}/code`)
export const unlinkDiscordAccount = () => http.send('DELETE', ACCOUNT)

/** The channels in which an agent may be talked with. */
export const readDiscordChannels = (key: string) => http.request<DiscordChannels>('GET', `${agentPath(key)}/discord`)
export const setDiscordChannels = (key: string, channels: readonly string[]) =>
  http.request<DiscordChannels>('PUT', `${agentPath(key)}/discord`, { channels })
