import type {
  CodingResults,
  CodingSession,
  CreateSchedule,
  PreviewSchedule,
  Schedule,
  SchedulePreview,
  UpdateSchedule,
} from '@slipway/protocol'
import { http } from '../transport/client.ts'

const BASE = '/coding-agents/schedules'
const pathOf = (id: string): string => `${BASE}/${encodeURIComponent(id)}`

/** Results of one schedule to read at once. */
export const HISTORY_PAGE_SIZE = 10

/** Oldest first, with shortened prompts. */
export const listSchedules = () => http.request<Schedule[]>('GET', BASE)
/** With its whole prompt. */
export const readSchedule = (id: string) => http.request<Schedule>('GET', pathOf(id))
/** A retry with the same key creates no second one. */
export const createSchedule = (body: CreateSchedule, key: string) => http.request<Schedule>('POST', BASE, body, { key })
export const updateSchedule = (id: string, body: UpdateSchedule) =>
  http.request<Schedule>('PATCH', pathOf(id), body, 'harmless')
export const deleteSchedule = (id: string) => http.send('DELETE', pathOf(id))
/** Puts its task into the line, also if it is switched off. */
export const runSchedule = (id: string) => http.request<CodingSession>('POST', `${pathOf(id)}/run`)
export const previewSchedule = (body: PreviewSchedule) =>
  http.request<SchedulePreview>('POST', `${BASE}/preview`, body, 'harmless')
/** The results of its tasks that have ended, the newest first. Pages are counted from 1. */
export const readScheduleResults = (id: string, page: number) =>
  http.request<CodingResults>(
    'GET',
    `/coding-agents/results?${new URLSearchParams({ schedule: id, page: String(page), limit: String(HISTORY_PAGE_SIZE) })}`,
  )
