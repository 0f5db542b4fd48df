import { useEventListener } from '@vueuse/core'
import { ref, type Ref, type ShallowRef } from 'vue'
import { IS_MAC } from '@/lib/browser/platform.ts'
import { hasFolder, pastedFiles, withoutEscapes } from '@/terminal/input/paste.ts'
import type { Screen } from '@/terminal/screen/screen.ts'

/** The byte that a program gets for Ctrl+V. */
const CTRL_V = '\x16'

export interface UseTerminalPasteOptions {
  container: Readonly<Ref<HTMLElement | null>>
  screen: Readonly<ShallowRef<Screen | null>>
  /** Whether the emulator is still parsing a replay of earlier output. */
  isReplaying: () => boolean
  /** Whether this user's input counts. If not, the user gets a notice. */
  mayType: () => boolean
  sendFiles: (files: readonly File[], hasFolder?: boolean) => Promise<void>
}

/**
 * Paste and drop. Files go into the agent's home. Text goes to the program as a paste, which the program can tell from
 * typing.
 */
export function useTerminalPaste({ container, screen, isReplaying, mayType, sendFiles }: UseTerminalPasteOptions) {
  /** Whether files hover over the terminal. */
  const dragging = ref(false)
  /** Whether the user pressed Ctrl+V and the browser has not yet reported a paste. */
  let asked = false
  /** False without https. */
  const canPaste = 'clipboard' in navigator && 'read' in navigator.clipboard

  function paste(text: string): void {
    const made = screen.value
    if (made === null) return
    const { terminal } = made
    const type = (): void => terminal.paste(terminal.modes.bracketedPasteMode ? withoutEscapes(text) : text)
    // During a replay the emulator does not know yet whether the program brackets pastes. Without brackets, a shell may
    // run each line.
    if (isReplaying()) made.inOrder(type)
    else type()
  }

  function onPaste(event: ClipboardEvent): void {
    const byCtrlV = asked
    asked = false
    const data = event.clipboardData
    if (data === null) return
    const files = pastedFiles(data)
    event.preventDefault()
    event.stopPropagation()
    if (!mayType()) return
    if (files.length > 0) void sendFiles(files)
    else if (byCtrlV) screen.value?.terminal.input(CTRL_V)
    else if (data.getData('text/plain') !== '') paste(data.getData('text/plain'))
    // A browser takes Ctrl+Shift+V for "Paste as plain text" and leaves out pictures.
    else void pasteFromClipboard()
  }

  /** Reads the clipboard API, for which a browser may ask the user. False if the browser refuses. */
  async function pasteFromClipboard(): Promise<boolean> {
    if (!canPaste) return false
    try {
      const items = await navigator.clipboard.read()
      const text = items.find(({ types }) => types.includes('text/plain'))
      if (text !== undefined) {
        paste(await (await text.getType('text/plain')).text())
        return true
      }
      const pictures = items.flatMap((item) =>
        item.types.filter((type) => type.startsWith('image/')).map((type) => ({ item, type })),
      )
      const files = pictures.map(async ({ item, type }) => {
        const name = `image.${type.slice('image/'.length).replace(/\W.*$/, '')}`
        return new File([await item.getType(type)], name, { type })
      })
      await sendFiles(await Promise.all(files))
      return true
    } catch {
      return false
    }
  }

  /**
   * Whether to leave the key to the browser, which then reports the pasted content. A picture goes into the agent's
   * home. For any other content the program gets Ctrl+V, as in other terminals.
   */
  function isCtrlV(event: KeyboardEvent): boolean {
    const plain = event.ctrlKey && !event.shiftKey && !event.altKey && !event.metaKey
    if (IS_MAC || !plain || event.key.toLowerCase() !== 'v' || event.type !== 'keydown') return false
    asked = true
    // The browser fires its paste event before this timer, or not at all.
    setTimeout(() => {
      if (asked) screen.value?.terminal.input(CTRL_V)
      asked = false
    })
    return true
  }

  const withFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true

  useEventListener(container, 'paste', onPaste, { capture: true })
  useEventListener(container, 'dragover', (event) => {
    if (!withFiles(event)) return
    event.preventDefault()
    dragging.value = true
  })
  useEventListener(container, 'dragleave', (event) => {
    if (!(event.relatedTarget instanceof Node) || container.value?.contains(event.relatedTarget) !== true)
      dragging.value = false
  })
  useEventListener(container, 'drop', (event) => {
    dragging.value = false
    if (!withFiles(event) || event.dataTransfer === null) return
    event.preventDefault()
    if (!mayType()) return
    void sendFiles([...event.dataTransfer.files], hasFolder(event.dataTransfer))
  })

  return { dragging, canPaste, paste, pasteFromClipboard, isCtrlV }
}
