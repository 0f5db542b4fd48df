import { useToast } from '@nuxt/ui/composables'
import { useTimeoutFn } from '@vueuse/core'
import { computed } from 'vue'
import { useUploads } from '@/composables/useUploads.ts'
import { FILES_MAX, quotePath, safeName } from '@/terminal/paste.ts'

/** Where the files of pastes and drops go, each lot into a folder of its own: names stay as they are, none is replaced. */
const FOLDER = '/home/developer/uploads'
/** How long the list stays after all went well, in milliseconds. */
const LINGER_MS = 4_000

const newFolder = (): string =>
  `${FOLDER}/${[...crypto.getRandomValues(new Uint8Array(6))].map((byte) => (byte % 36).toString(36)).join('')}`

export interface UseTerminalFilesOptions {
  agentKey: () => string
  connected: () => boolean
  /** Types a text as if it was pasted. */
  paste: (text: string) => void
}

/** Puts files that were pasted or dropped into the agent's home, and types their paths. */
export function useTerminalFiles({ agentKey, connected, paste }: UseTerminalFilesOptions) {
  const toast = useToast()
  const { uploads, busy, add, cancel, clear } = useUploads(agentKey)
  const { start, stop } = useTimeoutFn(clear, LINGER_MS, { immediate: false })

  const refuse = (title: string, description: string): void =>
    void toast.add({ title, description, color: 'error', icon: 'i-lucide-circle-alert' })

  /** Does nothing but say why where it cannot be done. */
  async function send(files: readonly File[], hasFolder = false): Promise<void> {
    if (hasFolder) return refuse('A folder cannot be dropped', 'Make an archive of it, or drop the files in it.')
    if (files.length === 0) return
    if (!connected()) return refuse('The terminal is not connected', 'Connect first, then paste or drop again.')
    if (files.length > FILES_MAX) return refuse('Too many files at once', `At most ${FILES_MAX} can be dropped.`)
    stop()
    const done = await add(named(files), newFolder(), true)
    const arrived = done.filter(({ state }) => state === 'done')
    // One after the other: pasted together, not every CLI knows them for pictures.
    if (connected()) for (const { path } of arrived) paste(`${quotePath(path)} `)
    if (!busy.value && uploads.every(({ state }) => state !== 'failed')) start()
  }

  return { uploads: computed(() => uploads), busy, send, cancel, clear }
}

/** Names that a path can hold, each once. */
function named(files: readonly File[]): File[] {
  const taken = new Set<string>()
  return files.map((file) => {
    const wanted = safeName(file.name)
    let name = wanted
    for (let count = 2; taken.has(name); count += 1) name = `${count}-${wanted}`
    taken.add(name)
    return new File([file], name, { type: file.type })
  })
}
