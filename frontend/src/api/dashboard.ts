import type { Dashboard } from '@slipway/protocol'
import { http } from './transport/client.ts'

/** What the user needs to know at one look. `dayFrom` is when their day began. */
export const readDashboard = (dayFrom: Date) =>
  http.request<Dashboard>('GET', `/dashboard?${new URLSearchParams({ dayFrom: dayFrom.toISOString() })}`)
/** Marks the tasks as seen that ended until this moment. */
export const markSeen = (until: string) => http.send('PUT', '/dashboard/seen', { until })
