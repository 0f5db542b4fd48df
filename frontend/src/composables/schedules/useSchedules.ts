import type { Schedule } from '@slipway/protocol'
import { listSchedules } from '@/api/schedules.ts'
import { usePolling } from '../requests/usePolling.ts'

/** How often to poll while the page is visible, in milliseconds. A schedule starts its task within 2 seconds. */
const EVERY_MS = 5_000

/** The user's schedules, the oldest first. Null until they have loaded. */
export function useSchedules() {
  /** Counts the changes of this page, because an answer may be older than them. */
  let changes = 0
  const { data, error, refresh } = usePolling(read, EVERY_MS, () => true)

  async function read(): Promise<Schedule[]> {
    const before = changes
    const answer = await listSchedules()
    return before === changes || data.value === null ? answer : data.value
  }

  /** Stores the server's answer to a change. A new schedule comes last. */
  function put(schedule: Schedule): void {
    changes += 1
    const all = data.value ?? []
    data.value = all.some(({ id }) => id === schedule.id)
      ? all.map((other) => (other.id === schedule.id ? schedule : other))
      : [...all, schedule]
  }

  function drop(id: string): void {
    changes += 1
    data.value = data.value?.filter((schedule) => schedule.id !== id) ?? null
  }

  return { schedules: data, error, refresh, put, drop }
}
