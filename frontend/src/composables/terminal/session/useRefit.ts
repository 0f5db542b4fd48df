import { nextTick, watch, type Ref } from 'vue'
import type { ConnectionStatus } from '@/stores/agents/terminals.ts'

export interface UseRefitOptions {
  view: { fit: () => void; focusUnasked: () => void }
  status: Readonly<Ref<ConnectionStatus>>
  /** Where it is. */
  props: Readonly<{ visible: boolean; active: boolean; isFullscreen: boolean }>
}

/** Fits a terminal to its place again when that may have changed unseen. */
export function useRefit({ view, status, props }: UseRefitOptions): void {
  // After a reconnect the strip is gone and the terminal has its old size. The window may have changed meanwhile.
  watch(status, (_now, before) => before === 'reconnecting' && view.fit(), { flush: 'post' })
  watch(
    () => [props.visible, props.active, props.isFullscreen],
    () => {
      if (!props.visible) return
      void nextTick(() => {
        view.fit()
        if (props.active) view.focusUnasked()
      })
    },
  )
}
