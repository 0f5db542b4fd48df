import { ref, watch, type Ref } from 'vue'
import type { ConnectionStatus } from '@/stores/terminals.ts'
import type { SelectedMode } from '@/terminal/session/modes.ts'

export interface UseModeSwitchOptions {
  status: Readonly<Ref<ConnectionStatus>>
  /** What runs, or would with the next connection. */
  selectedMode: Ref<SelectedMode>
  connect: () => Promise<void>
  disconnect: () => void
  /** Whether what is connected was there before. */
  isReturn: () => boolean
  /** Whether what runs may be ended for it. */
  mayEnd: (mode: SelectedMode) => Promise<boolean>
  /** Something else than what was chosen was there, and runs on. */
  onOther: (chosen: SelectedMode) => void
}

/** The choice between the agent's own program and a shell. Each of them begins when the other one has ended. */
export function useModeSwitch({ status, selectedMode, ...options }: UseModeSwitchOptions) {
  /** Chosen while there is no connection yet, or none any more: what runs cannot be ended before. */
  const next = ref<SelectedMode | null>(null)
  /** Whether its person agrees that what runs is ended for it. While it is being found nobody knows whether anything does. */
  let isAgreed = false
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
    if (status.value === 'reconnecting' || status.value === 'connecting') {
      next.value = mode
      isAgreed = runs
    } else await begin(mode)
  }

  async function begin(mode: SelectedMode): Promise<void> {
    const isOpen = status.value !== 'disconnected'
    if (isOpen) options.disconnect()
    selectedMode.value = chosen = mode
    if (isOpen) await options.connect()
  }

  async function beginNext(mode: SelectedMode): Promise<void> {
    if (status.value === 'connected') {
      if (mode === selectedMode.value) return
      if (!isAgreed && options.isReturn() && !(await options.mayEnd(mode))) return
    }
    await begin(mode)
  }

  watch(status, (now) => {
    if (now === 'connected' && chosen !== null) {
      if (chosen !== selectedMode.value) options.onOther(chosen)
      chosen = null
    }
    if (next.value === null || now === 'reconnecting' || now === 'connecting') return
    const mode = next.value
    next.value = null
    void beginNext(mode)
  })

  return { next, switchMode }
}
