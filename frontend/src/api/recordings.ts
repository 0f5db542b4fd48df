import type { Recording } from '@slipway/protocol'
import { agentPath } from './agents.ts'
import { http } from './client.ts'
import type { ListPage } from './pages.ts'

const pathOf = (id: string): string => `/recordings/${encodeURIComponent(id)}`

/** A page of an agent's recordings, the newest first. */
export const listRecordings = (key: string, cursor: string | null) =>
  http.request<ListPage<Recording>>(
    'GET',
    `${agentPath(key)}/recordings?${new URLSearchParams({ limit: '50', ...(cursor === null ? {} : { cursor }) })}`,
  )
export const readRecording = (id: string) => http.request<Recording>('GET', pathOf(id))
/** The asciicast; of a session that goes on, what there is so far. */
export const readCast = async (id: string): Promise<string> => (await http.download(`${pathOf(id)}/cast`)).text()
/** The same, to be kept. */
export const downloadCast = (id: string) => http.download(`${pathOf(id)}/cast?download=true`)
export const shareRecording = (id: string, shared: boolean) =>
  http.request<Recording>('PATCH', pathOf(id), { shared }, 'harmless')
export const deleteRecording = (id: string) => http.send('DELETE', pathOf(id))
