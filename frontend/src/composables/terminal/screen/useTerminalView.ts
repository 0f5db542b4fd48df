import { useToast } from '@nuxt/ui/composables'
import { useMediaQuery } from '@vueuse/core'
import { computed, nextTick, ref, type Ref } from 'vue'
import { copyText } from '@/composables/useCopy.ts'
import { useFocusWhenFree } from '@/composables/useFocusWhenFree.ts'
import { useScreen } from '@/composables/terminal/screen/useScreen.ts'
import { useTerminalKeys } from '@/composables/terminal/screen/useTerminalKeys.ts'
import { portOf, type WantedPort } from '@/lib/agents/ports.ts'
import { IS_MAC } from '@/lib/browser/platform.ts'
import { usePreferencesStore } from '@/stores/identity/preferences.ts'
import type { Size } from '@/terminal/session/frames.ts'
import { useFeed } from '../session/useFeed.ts'
import { useSelectionCopy } from './useSelectionCopy.ts'
import { useTerminalPaste } from './useTerminalPaste.ts'
import { useTouchKeys } from './useTouchKeys.ts'

/** Longest part of a host that the notice shows, in characters. A program chooses the host. */
const HOST_SHOWN = 60
const KEYS = IS_MAC ? '⌘V' : 'Ctrl+Shift+V'

export interface UseTerminalViewOptions {
  visible: () => boolean
  connected: () => boolean
  reconnecting: () => boolean
  /** Whether this user's input counts. */
  hasControl: () => boolean
  /** Like `hasControl`, asked before each input. If the input does not count, the user gets a notice. */
  mayType: () => boolean
  /** Sends input to the program. False if there was no room for it. */
  write: (bytes: Uint8Array) => boolean
  resize: (size: Size) => void
  sendFiles: (files: readonly File[], hasFolder?: boolean) => Promise<void>
  onFile: (path: string) => void
  /** Opens a port of the agent in the browser. Absent: this user may not. */
  onPort?: (wanted: WantedPort) => void
  isFullscreen: () => boolean
  leaveFullscreen: () => void
  /** Whether this emulator answers the program's queries, as the client of its session does. By default it does. */
  answersQueries?: boolean
}

export type TerminalView = ReturnType<typeof useTerminalView>

/** An emulator with its keys, clipboard and search. Every terminal of these pages uses it, for any kind of session. */
export function useTerminalView(options: UseTerminalViewOptions) {
  const toast = useToast()
  const container: Ref<HTMLElement | null> = ref(null)
  const searching = ref(false)
  /** Whether the field to paste into is open. */
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
    // Through the emulator's own input, which also scrolls back to the bottom.
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
    onAgentAddress: openAgentAddress,
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

  /** Answers to a replay are dropped: the program got its answer long ago, or stopped waiting for it. */
  function answer(bytes: Uint8Array): void {
    if (options.answersQueries !== false && !isReplaying() && options.hasControl()) options.write(bytes)
  }

  /** For an address of a server in the container. In this browser, `localhost` is the user's own computer. */
  function openAgentAddress(address: string): void {
    const wanted = portOf(address)
    if (wanted && options.onPort) return options.onPort(wanted)
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
    // Without a selection, the clipboard keeps its content.
    if (text !== '') void copyText(text)
  }

  async function pasteByMenu(): Promise<void> {
    if (await clipboard.pasteFromClipboard()) return
    // A touch keyboard has no such keys. In a field, the user can paste with the browser's own menu.
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

  /** Focuses the terminal without a request of the user. Not on a touch screen, where that would open the keyboard. */
  function focusUnasked(): void {
    if (!touch.value) focusSoon()
  }

  /** The program has ended. Its output stays readable. */
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
    /**
     * Where Paste gets its text: from the clipboard, or, if the browser gives no access to it, from a field. Null if
     * neither works.
     */
    pastesFrom: computed(() => (clipboard.canPaste ? 'clipboard' : touch.value ? 'field' : null)),
    canType: computed(() => options.connected() && options.hasControl()),
    /** Resolves with the first size once the emulator is ready. Null if the page has closed by then. */
    prepare: async (): Promise<Size | null> => {
      const made = await ready
      printed.value = false
      return made === null ? null : (made.fit() ?? made.size)
    },
  }
}
