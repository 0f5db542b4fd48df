import { watch, type ShallowRef } from 'vue'
import { downloadFile, findFiles } from '@/api/files.ts'
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
      const links = new FileLinks(made.terminal, {
        find: (paths) => (connected() ? findFiles(agentKey(), paths) : Promise.resolve([])),
        open,
      })
      const provided = made.terminal.registerLinkProvider(links)
      const untapped = onTap(made.terminal.element!, (x, y) => void links.tap(made.cellAt(x, y)))
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

/** Calls `tapped` for each tap where the emulator has no link of its own. Returns the function that stops listening. */
function onTap(element: HTMLElement, tapped: (clientX: number, clientY: number) => void): () => void {
  let isTouch = false
  const touched = ({ pointerType }: PointerEvent): void => void (isTouch = pointerType === 'touch')
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
