import { ref, type ShallowRef } from 'vue'
import type { Screen } from '@/terminal/screen/screen.ts'
import { bytesOfTouchKey, withCtrl, type TouchKey } from '@/terminal/input/touchKeys.ts'

/** The keys of the touch bar. Its Ctrl applies to the next key of either keyboard. */
export function useTouchKeys(screen: Readonly<ShallowRef<Screen | null>>) {
  const ctrl = ref(false)
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()

  /** Applies the held Ctrl to the input. */
  function held(bytes: Uint8Array): Uint8Array {
    if (!ctrl.value) return bytes
    const changed = withCtrl(decoder.decode(bytes))
    if (changed === null) return bytes
    ctrl.value = false
    return encoder.encode(changed)
  }

  function press(key: TouchKey): void {
    const { terminal } = screen.value ?? {}
    if (terminal === undefined) return
    const bytes = bytesOfTouchKey(key, ctrl.value, terminal.modes.applicationCursorKeysMode)
    ctrl.value = false
    terminal.input(bytes)
  }

  return { ctrl, held, press }
}
