import type { Recording } from '@slipway/protocol'
import { agentPath } from '../agents/agents.ts'
import { http } from '../transport/client.ts'
import type { Gathering } from '../transport/gather.ts'
import type { ListPage } from '../transport/pages.ts'
import { piecesOf, type Progress } from '../transport/reading.ts'

const pathOf = (id: string): string => `/recordings/${encodeURIComponent(id)}`

/** A page of an agent's recordings, newest first. */
export const listRecordings = (key: string, cursor: string | null) =>
  http.request<ListPage<Recording>>(
    'GET',
    `${agentPath(key)}/recordings?${new URLSearchParams({ limit: '50', ...(cursor === null ? {} : { cursor }) })}`,
  )
export const readRecording = (id: string) => http.request<Recording>('GET', pathOf(id))
/** The asciicast in chunks. For a running session it has the output so far. `signal` ends it. */
export async function* readCast(
  id: string,
  signal: AbortSignal,
  told: (progress: Progress) => void,
): AsyncGenerator<string> {
  const response = await http.open(`${pathOf(id)}/cast`, signal)
  const decoder = new TextDecoder()
  for await (const piece of piecesOf(response, signal, told)) yield decoder.decode(piece, { stream: true })
}
/** Versions of asciicast. asciinema 2 reads only the older one. */
export type CastFormat = 'v3' | 'v2'
/** The asciicast, to be saved as a file. */
export const downloadCast = (id: string, format: CastFormat, way: Gathering) =>
  http.download(`${pathOf(id)}/cast?download=true&format=${format}`, way)
export const shareRecording = (id: string, shared: boolean) =>
  http.request<Recording>('PATCH', pathOf(id), { shared }, 'harmless')
export const deleteRecording = (id: string) => http.send('DELETE', pathOf(id))
