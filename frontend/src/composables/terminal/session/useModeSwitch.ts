import { ref, watch, type Ref } from 'vue'
import type { ConnectionStatus } from '@/stores/agents/terminals.ts'
import type { SelectedMode } from '@/terminal/session/modes.ts'

export interface UseModeSwitchOptions {
  status: Readonly<Ref<ConnectionStatus>>
  /** The running program, or the one that the next connection would start. */
  selectedMode: Ref<SelectedMode>
  connect: () => Promise<void>
  disconnect: () => void
  /** Whether the connected program was already running before this page connected. */
  isReturn: () => boolean
  /** Asks whether the running program may end for `mode`. */
  mayEnd: (mode: SelectedMode) => Promise<boolean>
  /** The server already ran another program than the chosen one, which goes on. */
  onOther: (chosen: SelectedMode) => void
}

/** The choice between the agent's own program and a shell. Each of them starts when the other one has ended. */
export function useModeSwitch({ status, selectedMode, ...options }: UseModeSwitchOptions) {
  /** Chosen while no connection exists. A running program can be ended only once it is connected. */
  const next = ref<SelectedMode | null>(null)
  /** Whether the user agreed to end the running program. While connecting, it is not known whether a program runs. */
  let isAgreed = false
  /** The chosen program, until it is seen to run. Null if any program will do. */
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
