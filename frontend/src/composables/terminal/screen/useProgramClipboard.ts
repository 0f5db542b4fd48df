import { useToast } from '@nuxt/ui/composables'
import { useThrottleFn } from '@vueuse/core'
import { onScopeDispose, watch, type ShallowRef } from 'vue'
import { copyText } from '@/composables/useCopy.ts'
import { usePreferencesStore } from '@/stores/identity/preferences.ts'
import { watchClipboard } from '@/terminal/programs/clipboardWrite.ts'
import { shownText } from '@/terminal/programs/notices.ts'
import type { Screen } from '@/terminal/screen/screen.ts'

/** Longest part of the text that the notice shows, in characters. */
const SHOWN_MAX = 80
/** Least time between two texts, in milliseconds. Of the texts in between, only the last one counts. */
const EVERY_MS = 300

export interface UseProgramClipboardOptions {
  screen: Readonly<ShallowRef<Screen | null>>
  /** Identifies the terminal on this page. */
  agentKey: () => string
  agentName: () => string
  visible: () => boolean
  /** Whether this user has control of the program. */
  hasControl: () => boolean
}

/**
 * Puts the text that a program asks for (OSC 52) on the clipboard, if the user's preference allows it. The user always
 * gets a notice, because their next paste gives this text. A program in a terminal out of sight has to ask first.
 */
export function useProgramClipboard(options: UseProgramClipboardOptions): void {
  const { screen, agentKey, agentName, visible, hasControl } = options
  const preferences = usePreferencesStore()
  const toast = useToast()
  /** One notice per terminal, even if its program copies often. */
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
