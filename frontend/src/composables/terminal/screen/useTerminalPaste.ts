import { useEventListener } from '@vueuse/core'
import { ref, type Ref, type ShallowRef } from 'vue'
import { IS_MAC } from '@/lib/browser/platform.ts'
import { hasFolder, pastedFiles, withoutEscapes } from '@/terminal/input/paste.ts'
import type { Screen } from '@/terminal/screen/screen.ts'

/** What Ctrl+V is to a program. */
const CTRL_V = '\x16'

export interface UseTerminalPasteOptions {
  container: Readonly<Ref<HTMLElement | null>>
  screen: Readonly<ShallowRef<Screen | null>>
  /** Whether what was before is still being put onto the screen. */
  isReplaying: () => boolean
  /** Whether what is typed counts; where it does not, the person is told. */
  mayType: () => boolean
  sendFiles: (files: readonly File[], hasFolder?: boolean) => Promise<void>
}

/** Paste and drop: files go into the agent's home, text to the program, which can tell it from typing. */
export function useTerminalPaste({ container, screen, isReplaying, mayType, sendFiles }: UseTerminalPasteOptions) {
  /** Whether files hover over the terminal. */
  const dragging = ref(false)
  /** Whether Ctrl+V was pressed and the browser has not yet said what is on the clipboard. */
  let asked = false
  /** Not without https. */
  const canPaste = 'clipboard' in navigator && 'read' in navigator.clipboard

  function paste(text: string): void {
    const made = screen.value
    if (made === null) return
    const { terminal } = made
    const type = (): void => terminal.paste(terminal.modes.bracketedPasteMode ? withoutEscapes(text) : text)
    // Within a replay nobody knows whether the program brackets pastes, and each line of one that is not bracketed may be run.
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
    // "Paste as plain text", which Ctrl+Shift+V is to a browser, hides pictures.
    else void pasteFromClipboard()
  }

  /** By the clipboard's own interface, for which a browser may ask the person. False where it cannot be had. */
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
   * Whether the key is left to the browser, which then tells what is pasted: a picture goes into the agent's home. With
   * anything else on the clipboard the program gets Ctrl+V, as it would without us.
   */
  function isCtrlV(event: KeyboardEvent): boolean {
    const plain = event.ctrlKey && !event.shiftKey && !event.altKey && !event.metaKey
    if (IS_MAC || !plain || event.key.toLowerCase() !== 'v' || event.type !== 'keydown') return false
    asked = true
    // The browser pastes before anything else happens, or not at all.
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
