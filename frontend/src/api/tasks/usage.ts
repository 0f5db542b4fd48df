import { USAGE_LIMIT_MAX, type Budget, type UsageGroup, type UsageReport } from '@slipway/protocol'
import type { Span } from '@/lib/usage/range.ts'
import { http } from '../transport/client.ts'

/** The first groups of a span, as many as one answer has. */
export const readUsage = ({ from, to }: Span, group: UsageGroup) =>
  http.request<UsageReport>(
    'GET',
    `/coding-agents/usage?${new URLSearchParams({ from, to, group, limit: String(USAGE_LIMIT_MAX) })}`,
  )
export const readMyBudget = () => http.request<Budget>('GET', '/users/me/budget')
export const readPlatformBudget = () => http.request<Budget>('GET', '/platform/budget')
