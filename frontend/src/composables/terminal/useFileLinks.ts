import { watch, type ShallowRef } from 'vue'
import { downloadFile, findFiles } from '@/api/files.ts'
import { useAttempt } from '@/composables/useAttempt.ts'
import { FileLinks } from '@/terminal/fileLinks.ts'
import type { Screen } from '@/terminal/screen.ts'

export interface UseFileLinksOptions {
  screen: Readonly<ShallowRef<Screen | null>>
  agentKey: () => string
  connected: () => boolean
}

/** Makes downloads of the paths in the output that lead to files of the agent's home. */
export function useFileLinks({ screen, agentKey, connected }: UseFileLinksOptions): { open: (path: string) => void } {
  const attempt = useAttempt()
  const open = (path: string): void =>
    void attempt(`${path} could not be downloaded`, () => downloadFile(agentKey(), path))

  watch(
    screen,
    (made, _before, onCleanup) => {
      if (made === null) return
      const links = new FileLinks(made.terminal, {
        find: (paths) => (connected() ? findFiles(agentKey(), paths) : Promise.resolve([])),
        open,
      })
      const provided = made.terminal.registerLinkProvider(links)
      onCleanup(() => {
        provided.dispose()
        links.reset()
      })
    },
    { immediate: true },
  )
  return { open }
}
