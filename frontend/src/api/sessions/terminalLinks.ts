import type { CreatedTerminalLink, CreateTerminalLink, TerminalLink } from '@slipway/protocol'
import { http } from '../transport/client.ts'
import { listAll } from '../transport/pages.ts'

const linksPath = (sessionId: string): string => `/terminal-sessions/${encodeURIComponent(sessionId)}/links`

/** The links to a live session that have not expired. */
export const listLinks = (sessionId: string) => listAll<TerminalLink>(linksPath(sessionId))
export const createLink = (sessionId: string, body: CreateTerminalLink) =>
  http.request<CreatedTerminalLink>('POST', linksPath(sessionId), body)
/** Revokes a link. Its guests are disconnected. */
export const revokeLink = (sessionId: string, id: string) =>
  http.send('DELETE', `${linksPath(sessionId)}/${encodeURIComponent(id)}`)
