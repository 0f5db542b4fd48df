import { ref, type ShallowRef } from 'vue'
import type { Screen } from '@/terminal/screen/screen.ts'
import type { SessionOptions } from '@/terminal/session/session.ts'

export type Feed = Pick<SessionOptions, 'onOutput' | 'onReset' | 'onRestored' | 'onSize'>

/** Passes a session's output to the screen and keeps the order of its events. */
export function useFeed(screen: Readonly<ShallowRef<Screen | null>>, fit: () => void) {
  /** Whether the program has printed anything yet. */
  const printed = ref(false)
  /**
   * Chunks of a replay that the emulator has not parsed yet. While there are any, the emulator's answers are dropped.
   */
  let replaying = 0

  const inOrder = (act: (screen: Screen) => void): void => {
    const made = screen.value
    made?.inOrder(() => act(made))
  }
  const feed: Feed = {
    onOutput: (bytes, consumed, isReplay) => {
      printed.value = true
      if (isReplay) replaying += 1
      screen.value?.write(bytes, () => {
        if (isReplay) replaying -= 1
        consumed()
      })
    },
    onReset: (size) =>
      inOrder((made) => {
        if (size === null) made.clear()
        else made.redraw(size)
      }),
    onRestored: () =>
      inOrder((made) => {
        made.redrawn()
        fit()
      }),
    onSize: (size) =>
      inOrder((made) => {
        made.follow(size)
        fit()
      }),
  }
  return { feed, printed, isReplaying: () => replaying > 0 }
}
