import { useToast } from '@nuxt/ui/composables'
import { useThrottleFn } from '@vueuse/core'
import { onScopeDispose, watch, type ShallowRef } from 'vue'
import { copyText } from '@/composables/useCopy.ts'
import { usePreferencesStore } from '@/stores/preferences.ts'
import { watchClipboard } from '@/terminal/programs/clipboardWrite.ts'
import { shownText } from '@/terminal/programs/notices.ts'
import type { Screen } from '@/terminal/screen/screen.ts'

/** Longest part of the text that the notice shows, in characters. */
const SHOWN_MAX = 80
/** Least time between two texts, in milliseconds; of those in between the last one counts. */
const EVERY_MS = 300

export interface UseProgramClipboardOptions {
  screen: Readonly<ShallowRef<Screen | null>>
  /** Names the terminal among those of this page. */
  agentKey: () => string
  agentName: () => string
  visible: () => boolean
  /** Whether it is the person here who works with the program. */
  hasControl: () => boolean
}

/**
 * Puts on the clipboard what a program wants there (OSC 52), as the person has chosen, and always says so: what is
 * pasted next is another text than they think. Programs of terminals that nobody looks at have to ask.
 */
export function useProgramClipboard(options: UseProgramClipboardOptions): void {
  const { screen, agentKey, agentName, visible, hasControl } = options
  const preferences = usePreferencesStore()
  const toast = useToast()
  /** One notice for each terminal, however often its program copies. */
  const id = `clipboard-${agentKey()}`

  function say(title: string, text: string, ask: boolean): void {
    const shown = shownText(text.slice(0, SHOWN_MAX * 4)) ?? ''
    const copy = async (): Promise<void> => {
      toast.remove(id)
      if (!(await copyText(text))) toast.add({ id, title: 'The browser blocked the copy', color: 'error' })
    }
    const notice = {
      title,
      description: `${shown.slice(0, SHOWN_MAX)}${text.length > SHOWN_MAX ? `… (${text.length} characters)` : ''}`,
      icon: 'i-lucide-clipboard',
      color: 'neutral' as const,
      duration: ask ? 15_000 : 5_000,
      actions: ask ? [{ label: 'Copy', color: 'primary' as const, onClick: () => void copy() }] : [],
    }
    if (toast.toasts.value.some((each) => each.id === id)) toast.update(id, notice)
    else toast.add({ id, ...notice })
  }

  const take = useThrottleFn(
    async (text: string): Promise<void> => {
      const policy = preferences.terminal.programClipboard
      if (policy === 'never') return
      const here = visible() && document.hasFocus()
      if (policy === 'write' && here && (await copyText(text))) {
        say(`${agentName()} copied to your clipboard`, text, false)
      } else {
        say(`${agentName()} wants to copy to your clipboard`, text, true)
      }
    },
    EVERY_MS,
    true,
  )

  watch(
    screen,
    (made, _before, onCleanup) => {
      if (made === null) return
      const listening = watchClipboard(made.terminal, hasControl, (text) => void take(text))
      onCleanup(() => listening.dispose())
    },
    { immediate: true },
  )
  onScopeDispose(() => toast.remove(id))
}
