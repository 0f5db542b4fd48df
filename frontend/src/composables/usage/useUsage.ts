import type { UsageReport } from '@slipway/protocol'
import { onScopeDispose, shallowRef, ref, watch } from 'vue'
import { readUsage } from '@/api/tasks/usage.ts'
import { messageOf } from '@/api/transport/errors.ts'
import type { GroupId } from '@/lib/usage/groups.ts'
import { type RangeId, type Span, spanOf } from '@/lib/usage/range.ts'

/** What was asked for, with its answers. */
export interface Usage {
  readonly span: Span
  readonly group: GroupId
  readonly byDay: UsageReport
  readonly byGroup: UsageReport
}

/** The usage of a range by day and by another group. The last answer stays until the next one. */
export function useUsage(wanted: () => { readonly range: RangeId; readonly group: GroupId }) {
  const usage = shallowRef<Usage | null>(null)
  const error = ref<string | null>(null)
  const busy = ref(false)
  /** The number of the newest request. Answers to earlier ones are too late. */
  let newest = 0

  async function load(): Promise<void> {
    const mine = (newest += 1)
    const { range, group } = wanted()
    const span = spanOf(range, Date.now())
    busy.value = true
    error.value = null
    try {
      const [byDay, byGroup] = await Promise.all([
        readUsage(span, 'day'),
        group === 'day' ? null : readUsage(span, group),
      ])
      if (mine === newest) usage.value = { span, group, byDay, byGroup: byGroup ?? byDay }
    } catch (cause) {
      if (mine === newest) error.value = messageOf(cause)
    } finally {
      if (mine === newest) busy.value = false
    }
  }

  watch(wanted, load, { immediate: true, deep: true })
  onScopeDispose(() => (newest += 1))
  return { usage, error, busy, load }
}
