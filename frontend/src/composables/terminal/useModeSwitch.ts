import { ref, watch, type Ref } from 'vue'
import type { ConnectionStatus } from '@/stores/terminals.ts'
import type { SelectedMode } from '@/terminal/modes.ts'

export interface UseModeSwitchOptions {
  status: Readonly<Ref<ConnectionStatus>>
  /** What runs, or would with the next connection. */
  selectedMode: Ref<SelectedMode>
  connect: () => Promise<void>
  disconnect: () => void
  /** Whether what runs may be ended for it. */
  mayEnd: (mode: SelectedMode) => Promise<boolean>
  /** Something else than what was chosen was there, and runs on. */
  onOther: (chosen: SelectedMode) => void
}

/** The choice between the agent's own program and a shell. Each of them begins when the other one has ended. */
export function useModeSwitch({ status, selectedMode, ...options }: UseModeSwitchOptions) {
  /** Chosen while the connection was lost: what runs cannot be ended before that is back. */
  const next = ref<SelectedMode | null>(null)
  /** Chosen and not seen to run yet; null: whatever is there will do. */
  let chosen: SelectedMode | null = null

  async function switchMode(mode: SelectedMode): Promise<void> {
    if (mode === (next.value ?? selectedMode.value)) return
    if (mode === selectedMode.value) {
      next.value = null
      return
    }
    const runs = status.value === 'connected' || status.value === 'reconnecting'
    if (runs && !(await options.mayEnd(mode))) return
    if (status.value === 'reconnecting') next.value = mode
    else await begin(mode)
  }

  async function begin(mode: SelectedMode): Promise<void> {
    const isOpen = status.value !== 'disconnected'
    if (isOpen) options.disconnect()
    selectedMode.value = chosen = mode
    if (isOpen) await options.connect()
  }

  watch(status, (now) => {
    if (now === 'connected' && chosen !== null) {
      if (chosen !== selectedMode.value) options.onOther(chosen)
      chosen = null
    }
    if (next.value === null || now === 'reconnecting') return
    const mode = next.value
    next.value = null
    void begin(mode)
  })

  return { next, switchMode }
}
