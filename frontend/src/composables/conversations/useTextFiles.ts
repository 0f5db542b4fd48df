import type { FoundFile } from '@slipway/protocol'
import { onScopeDispose, shallowRef, watch } from 'vue'
import { downloadFile, findFiles } from '@/api/files/files.ts'
import { useDownload } from '@/composables/requests/useDownload.ts'
import { pathsOfText } from '@/terminal/links/text.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'

/** A file that a text names. */
export interface TextFile {
  readonly path: string
}

const fileOf = ({ kind, path }: FoundFile): TextFile[] => (kind === 'file' && path !== null ? [{ path }] : [])

/** The files of an agent's home that a text names. While the agent does not run, there are none. */
export function useTextFiles(agent: () => string, cwd: () => string, text: () => string) {
  const agents = useAgentsStore()
  const download = useDownload()
  const files = shallowRef<readonly TextFile[]>([])
  /** Counts the requests: only the last one is shown. */
  let asked = 0

  watch(
    () => (agents.find(agent())?.state === 'running' ? pathsOfText(text(), cwd()).join('\n') : ''),
    async (paths) => {
      const mine = (asked += 1)
      // Without an answer, the text has no links.
      const found = paths === '' ? [] : await findFiles(agent(), paths.split('\n')).catch(() => [])
      if (mine !== asked) return
      const once = new Map(found.flatMap(fileOf).map((file) => [file.path, file]))
      files.value = [...once.values()]
    },
    { immediate: true },
  )
  onScopeDispose(() => (asked += 1))

  const open = ({ path }: TextFile): void =>
    void download(`Could not download ${path}`, path, (way) => downloadFile(agent(), path, way))
  return { files, open }
}
