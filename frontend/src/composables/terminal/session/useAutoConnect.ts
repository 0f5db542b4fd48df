import { ref, watch } from 'vue'

export interface UseAutoConnectOptions {
  wanted: () => boolean
  canConnect: () => boolean
  visible: () => boolean
  connect: () => void
}

/**
 * Connects once at the start, and again each time the agent starts again. Never reconnects after the user chose
 * Disconnect.
 */
export function useAutoConnect({ wanted, canConnect, visible, connect }: UseAutoConnectOptions): void {
  const owed = ref(wanted())
  watch(canConnect, (can) => {
    if (!can) owed.value = wanted()
  })
  watch(
    () => owed.value && canConnect() && visible(),
    (now) => {
      if (!now) return
      owed.value = false
      connect()
    },
    { immediate: true },
  )
}
