import type { User } from '@slipway/protocol'
import { computed, shallowRef, watch } from 'vue'
import { listUsers } from '@/api/identity/users.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'

/**
 * Whose items a list can show besides the reader's own. Only admins know all users. Others choose between their own and
 * `all` that they may see. `chosen` is `all`, the id of a user, or undefined.
 */
export function useWhose(all: string, chosen: () => string | undefined, isOpen: () => boolean) {
  const auth = useAuthStore()
  const users = shallowRef<readonly User[]>([])
  watch(
    isOpen,
    async (open) => {
      if (open && auth.isAdmin && users.value.length === 0) users.value = await listUsers().catch(() => [])
    },
    { immediate: true },
  )
  return computed(() => {
    const others = users.value
      .filter(({ id }) => id !== auth.user?.id)
      .map(({ id: value, email: label }) => ({ label, value }))
    const choices = [{ label: all, value: 'all' }, ...others]
    const by = chosen()
    return by === undefined || choices.some(({ value }) => value === by)
      ? choices
      : [...choices, { label: 'One user', value: by }]
  })
}
