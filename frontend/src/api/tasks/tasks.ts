import type {
  CodingResults,
  CodingSession,
  CodingSessionDiff,
  CodingSessionOutput,
  CodingTerminal,
  CreateCodingSession,
  DiffSince,
  DiscardChanges,
  DiscardedChanges,
  RunEvent,
  Validation,
} from '@slipway/protocol'
import { parametersOf, type ResultFilters } from '@/lib/tasks/list/filters.ts'
import { http } from '../transport/client.ts'
import { piecesOf } from '../transport/reading.ts'

const SESSIONS = '/coding-agents/sessions'
/** Results on one page of the history. */
export const RESULTS_PAGE_SIZE = 20

const pathOf = (id: string): string => `${SESSIONS}/${encodeURIComponent(id)}`

/** Starts a task. A retry with the same key starts no second one. */
export const startTask = (body: CreateCodingSession, key: string) =>
  http.request<CodingSession>('POST', SESSIONS, body, { key })
/** The user's active tasks, and those that ended a few minutes ago. Long prompts are cut. */
export const listTasks = () => http.request<CodingSession[]>('GET', SESSIONS)
export const readTask = (id: string) => http.request<CodingSession>('GET', pathOf(id))
/** Answers at once. An event reports the end. */
export const endTask = (id: string) => http.request<CodingSession>('DELETE', pathOf(id))
/** Where to open a terminal with a task's conversation. The server keeps it for a minute for this user. */
export const offerTerminal = (id: string) => http.request<CodingTerminal>('POST', `${pathOf(id)}/terminal`)
/** Moves a task that has ended into the archive, or out of it. */
export const archiveTask = (id: string, isArchived: boolean) =>
  http.request<CodingSession>('POST', `${pathOf(id)}/${isArchived ? 'archive' : 'unarchive'}`)
/**
 * What has changed until now, since the start of a task or of its conversation. Without `since`, the changes as they were
 * at the end of the task.
 */
export const readTaskDiff = (id: string, since?: DiffSince) =>
  http.request<CodingSessionDiff>('GET', `${pathOf(id)}/diff${since === undefined ? '' : `?since=${since}`}`)
/** Answers what undoes it. */
export const discardChanges = (id: string, body: DiscardChanges) =>
  http.request<DiscardedChanges>('POST', `${pathOf(id)}/diff/discard`, body, 'named')
export const undoDiscard = (id: string, body: DiscardedChanges) =>
  http.request<undefined>('POST', `${pathOf(id)}/diff/undo`, body, 'named')
/** The last validation of a task, or null. */
export const readValidation = (id: string) => http.request<Validation | null>('GET', `${pathOf(id)}/validation`)
/** Answers when it has begun. */
export const startValidation = (id: string) => http.request<Validation>('POST', `${pathOf(id)}/validation`, {})
export const cancelValidation = (id: string) => http.request<Validation>('DELETE', `${pathOf(id)}/validation`)
export const readTaskOutput = (id: string) => http.request<CodingSessionOutput>('GET', `${pathOf(id)}/output`)

/** One page of the ended tasks that match, the newest first. Pages count from 1. */
export const listResults = (filters: ResultFilters, page: number) =>
  http.request<CodingResults>(
    'GET',
    `/coding-agents/results?${new URLSearchParams({ ...parametersOf(filters, Date.now()), page: String(page), limit: String(RESULTS_PAGE_SIZE) })}`,
  )

/**
 * The events of a task with a higher number than `after`, in chunks. The first chunk is empty and says that the stream
 * is open; further empty ones are heartbeats. While the task is active, further events follow. Reads from the network
 * only when the caller asks for the next chunk.
 */
export async function* followTask(id: string, after: number, signal: AbortSignal): AsyncGenerator<RunEvent[]> {
  const response = await http.open(`${pathOf(id)}/events?after=${after}`, signal)
  yield []
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of piecesOf(response, signal)) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield lines.filter((line) => line !== '').map((line) => JSON.parse(line) as RunEvent)
  }
}

/** One event of a task, whole. Null if the server has it no more. */
export async function readTaskEvent(id: string, seq: number): Promise<RunEvent | null> {
  const leave = new AbortController()
  try {
    for await (const [event] of followTask(id, seq - 1, leave.signal)) if (event !== undefined) return event
    return null
  } finally {
    leave.abort()
  }
}
