import { watch, type ShallowRef } from 'vue'
import { downloadFile, findFiles } from '@/api/files/files.ts'
import { useDownload } from '@/composables/requests/useDownload.ts'
import { FileLinks } from '@/terminal/links/files.ts'
import type { Screen } from '@/terminal/screen/screen.ts'

export interface UseFileLinksOptions {
  screen: Readonly<ShallowRef<Screen | null>>
  agentKey: () => string
  connected: () => boolean
}

/** Turns paths in the output into download links, if they lead to files in the agent's home. */
export function useFileLinks({ screen, agentKey, connected }: UseFileLinksOptions): { open: (path: string) => void } {
  const download = useDownload()
  const open = (path: string): void =>
    void download(`Could not download ${path}`, path, (way) => downloadFile(agentKey(), path, way))

  watch(
    screen,
    (made, _before, onCleanup) => {
      if (made === null) return
      // Between the end of a tap and its click the emulator may forget the link that it has just opened.
      let isOpened = false
      const links = new FileLinks(made.terminal, {
        find: (paths) => (connected() ? findFiles(agentKey(), paths) : Promise.resolve([])),
        open: (path) => {
          isOpened = true
          open(path)
        },
      })
      const provided = made.terminal.registerLinkProvider(links)
      const untapped = onTap(made.terminal.element!, {
        pressed: () => (isOpened = false),
        tapped: (x, y) => {
          if (!isOpened) void links.tap(made.cellAt(x, y))
        },
      })
      onCleanup(() => {
        untapped()
        provided.dispose()
        links.reset()
      })
    },
    { immediate: true },
  )
  return { open }
}

interface Taps {
  /** A press begins, by a finger or by another pointer. */
  readonly pressed: () => void
  /** A finger tapped where the emulator has no link of its own. */
  readonly tapped: (clientX: number, clientY: number) => void
}

/** Returns the function that stops listening. */
function onTap(element: HTMLElement, { pressed, tapped }: Taps): () => void {
  let isTouch = false
  const touched = ({ pointerType }: PointerEvent): void => {
    isTouch = pointerType === 'touch'
    pressed()
  }
  const clicked = ({ clientX, clientY }: MouseEvent): void => {
    // The emulator marks a link that it knows with this class, and has opened it already.
    if (isTouch && !element.classList.contains('xterm-cursor-pointer')) tapped(clientX, clientY)
  }
  element.addEventListener('pointerdown', touched)
  element.addEventListener('click', clicked)
  return () => {
    element.removeEventListener('pointerdown', touched)
    element.removeEventListener('click', clicked)
  }
}
