import type { AuditEvent } from '@slipway/protocol'
import type { AuditFilters } from '@/lib/audit.ts'
import { http } from './transport/client.ts'
import type { Gathering } from './transport/gather.ts'
import type { ListPage } from './transport/pages.ts'

export type AuditFormat = 'csv' | 'ndjson'

/** Events on one page of the audit log. */
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
