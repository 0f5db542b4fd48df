import type { AuditEvent } from '@slipway/protocol'
import { http } from './client.ts'
import type { Gathering } from './gather.ts'
import type { ListPage } from './pages.ts'

/** What is looked for; what is missing is not asked for. Moments are ISO 8601. */
export interface AuditFilters {
  actor?: string
  action?: string
  target?: string
  from?: string
  to?: string
}

export type AuditFormat = 'csv' | 'ndjson'

/** Events on one page of the log. */
const PAGE_SIZE = 50

const queryOf = (filters: AuditFilters, more: Record<string, string>): URLSearchParams =>
  new URLSearchParams({ ...filters, ...more })

export const readAudit = (filters: AuditFilters, cursor: string | null) =>
  http.request<ListPage<AuditEvent>>(
    'GET',
    `/audit?${queryOf(filters, { limit: String(PAGE_SIZE), ...(cursor !== null && { cursor }) })}`,
  )
export const exportAudit = (filters: AuditFilters, format: AuditFormat, way: Gathering) =>
  http.download(`/audit/export?${queryOf(filters, { format })}`, way)
