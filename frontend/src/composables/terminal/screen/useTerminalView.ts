import { useToast } from '@nuxt/ui/composables'
import { useMediaQuery } from '@vueuse/core'
import { computed, nextTick, ref, type Ref } from 'vue'
import { copyText } from '@/composables/useCopy.ts'
import { useFocusWhenFree } from '@/composables/useFocusWhenFree.ts'
import { useScreen } from '@/composables/terminal/screen/useScreen.ts'
import { useTerminalKeys } from '@/composables/terminal/screen/useTerminalKeys.ts'
import { IS_MAC } from '@/lib/browser/platform.ts'
import { usePreferencesStore } from '@/stores/preferences.ts'
import type { Size } from '@/terminal/session/frames.ts'
import { useFeed } from '../session/useFeed.ts'
import { useSelectionCopy } from './useSelectionCopy.ts'
import { useTerminalPaste } from './useTerminalPaste.ts'
import { useTouchKeys } from './useTouchKeys.ts'

/** As much of a host is shown, in characters: a program chooses it. */
const HOST_SHOWN = 60
const KEYS = IS_MAC ? '⌘V' : 'Ctrl+Shift+V'

export interface UseTerminalViewOptions {
  visible: () => boolean
  connected: () => boolean
  reconnecting: () => boolean
  /** Whether what is typed here counts. */
  hasControl: () => boolean
  /** The same, before something is typed: where it does not count, the person is told. */
  mayType: () => boolean
  /** Types into the program; false where it was not taken. */
  write: (bytes: Uint8Array) => boolean
  resize: (size: Size) => void
  sendFiles: (files: readonly File[], hasFolder?: boolean) => Promise<void>
  onFile: (path: string) => void
  isFullscreen: () => boolean
  leaveFullscreen: () => void
}

export type TerminalView = ReturnType<typeof useTerminalView>

/** An emulator with its keys, its clipboard and its search: what every terminal of these pages has, whatever it is connected to. */
export function useTerminalView(options: UseTerminalViewOptions) {
  const toast = useToast()
  const container: Ref<HTMLElement | null> = ref(null)
  const searching = ref(false)
  /** Whether there is a field to paste into. */
  const pasting = ref(false)
  const search = ref<{ focus: () => void } | null>(null)
  const touch = useMediaQuery('(pointer: coarse)')
  const preferences = usePreferencesStore()

  const keys = useTerminalKeys({
    ...options,
    keepEscape: () => preferences.terminal.keepEscape === true,
    search: openSearch,
    copy: copySelection,
    disambiguates: () => screen.value?.keyboard.disambiguates ?? false,
    // As the emulator types: what was scrolled away comes back into sight.
    type: (text) => screen.value?.terminal.input(text),
    isPaste: (event) => clipboard.isCtrlV(event),
  })
  const { screen, ready, fit, ...shown } = useScreen({
    container,
    visible: options.visible,
    keepsSize: () => options.reconnecting() || isReplaying(),
    onInput: (bytes, isAnswer) => (isAnswer ? answer(bytes) : type(touchKeys.held(bytes))),
    onResize: options.resize,
    onKey: keys.forProgram,
    onFile: options.onFile,
    onAgentAddress: sayAgentAddress,
  })
  const { feed, printed, isReplaying } = useFeed(screen, fit)
  const touchKeys = useTouchKeys(screen)
  const { mayType, sendFiles } = options
  const clipboard = useTerminalPaste({ container, screen, isReplaying, mayType, sendFiles })
  useSelectionCopy(container, screen)

  function type(bytes: Uint8Array): void {
    if (!options.hasControl() || options.write(bytes) || !options.connected()) return
    toast.add({ title: 'Too much text to paste at once', description: 'Upload it as a file instead.', color: 'error' })
  }

  /** To a replay's questions there is none: the program has been answered, or has given up waiting, long ago. */
  function answer(bytes: Uint8Array): void {
    if (!isReplaying() && options.hasControl()) options.write(bytes)
  }

  /** Of a server in the container. `localhost` in this browser is the computer that it runs on. */
  function sayAgentAddress(address: string): void {
    toast.add({
      id: 'agent-address',
      title: `${new URL(address).host.slice(0, HOST_SHOWN)} is the agent's own address`,
      description: "Its server runs in the agent's container. On your computer this address leads elsewhere.",
      icon: 'i-lucide-container',
      color: 'neutral',
    })
  }

  function copySelection(): void {
    const text = screen.value?.terminal.getSelection() ?? ''
    // With nothing selected what was copied before stays.
    if (text !== '') void copyText(text)
  }

  async function pasteByMenu(): Promise<void> {
    if (await clipboard.pasteFromClipboard()) return
    // A touch keyboard has none of these keys; a field has the browser's own menu.
    if (touch.value) pasting.value = true
    else toast.add({ title: 'The browser blocked access to the clipboard', description: `Paste with ${KEYS} instead.` })
  }

  function pasteFromField(text: string): void {
    if (options.mayType()) clipboard.paste(text)
  }

  function openSearch(): void {
    searching.value = true
    void nextTick(() => search.value?.focus())
  }

  function closeSearch(): void {
    searching.value = false
    screen.value?.endSearch()
    focus()
  }

  const focus = (): void => screen.value?.terminal.focus()
  const focusSoon = useFocusWhenFree(focus)

  /** Without being asked: not on a touch screen, where it would open the keyboard. */
  function focusUnasked(): void {
    if (!touch.value) focusSoon()
  }

  /** The program is gone: what it has left stays to be read. */
  function retire(): void {
    screen.value?.follow(null)
    screen.value?.retire()
    shown.title.value = ''
    fit()
  }

  return {
    ...shown,
    container,
    screen,
    fit,
    feed,
    printed,
    keys,
    touch,
    touchKeys,
    clipboard,
    search,
    searching,
    pasting,
    openSearch,
    copySelection,
    pasteByMenu,
    pasteFromField,
    closeSearch,
    focus,
    retire,
    focusUnasked,
    /** What Paste takes: the clipboard, or, where the page is not given that, what is put into a field; null: neither. */
    pastesFrom: computed(() => (clipboard.canPaste ? 'clipboard' : touch.value ? 'field' : null)),
    canType: computed(() => options.connected() && options.hasControl()),
    /** Resolves with the size to begin with, when there is something to write to; null where the page has gone meanwhile. */
    prepare: async (): Promise<Size | null> => {
      const made = await ready
      printed.value = false
      return made === null ? null : (made.fit() ?? made.size)
    },
  }
}
