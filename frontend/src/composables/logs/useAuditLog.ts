import type { AuditEvent } from '@slipway/protocol'
import { onScopeDispose, type Ref, ref, watch } from 'vue'
import { readAudit } from '@/api/audit.ts'
import type { AuditFilters } from '@/lib/audit.ts'
import { messageOf } from '@/api/transport/errors.ts'

/**
 * The loaded part of the audit log. It loads again when the filters change, and loads more on demand. `events` is null
 * until the first page has loaded.
 */
export function useAuditLog(filters: Ref<AuditFilters>) {
  const events = ref<AuditEvent[] | null>(null)
  const error = ref<string | null>(null)
  const busy = ref(false)
  const cursor = ref<string | null>(null)
  /** Drops the response to an outdated request. */
  let question = 0

  async function read(from: string | null): Promise<void> {
    const mine = ++question
    busy.value = true
    error.value = null
    try {
      const page = await readAudit(filters.value, from)
      if (mine !== question) return
      events.value = from === null ? page.items : [...(events.value ?? []), ...page.items]
      cursor.value = page.nextCursor
    } catch (cause) {
      if (mine === question) error.value = messageOf(cause)
    } finally {
      if (mine === question) busy.value = false
    }
  }

  function load(): Promise<void> {
    events.value = null
    return read(null)
  }

  watch(filters, load, { immediate: true })
  onScopeDispose(() => (question += 1))
  return { events, error, busy, cursor, load, more: () => read(cursor.value) }
}
