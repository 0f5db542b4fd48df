import { listSchedules } from '@/api/tasks/schedules.ts'
import { usePolledList } from '../requests/usePolledList.ts'

/** How often to poll while the page is visible, in milliseconds. A schedule starts its task within 2 seconds. */
const EVERY_MS = 5_000

/** The user's schedules, the oldest first. Null until they have loaded. */
export function useSchedules() {
  const { items, ...others } = usePolledList(listSchedules, EVERY_MS)
  return { schedules: items, ...others }
}
