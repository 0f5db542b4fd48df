import { useToast } from '@nuxt/ui/composables'
import { useTimeoutFn } from '@vueuse/core'
import { computed } from 'vue'
import { type Upload, useUploads } from '@/composables/requests/useUploads.ts'
import { FILES_MAX, newUploadFolder, quotePath, safeName } from '@/terminal/input/paste.ts'

/** How long the list stays after every upload succeeded, in milliseconds. */
const LINGER_MS = 4_000

export interface UseTerminalFilesOptions {
  agentKey: () => string
  connected: () => boolean
  /** Whether this user's input reaches a program. */
  canType: () => boolean
  /** Pastes the text into the terminal. */
  paste: (text: string) => void
}

/** Uploads pasted or dropped files into the agent's home and types their paths. */
export function useTerminalFiles({ agentKey, connected, canType, paste }: UseTerminalFilesOptions) {
  const toast = useToast()
  const { uploads, busy, add, retry: sendAgain, cancel, clear } = useUploads(agentKey)
  const { start, stop } = useTimeoutFn(clear, LINGER_MS, { immediate: false })

  const refuse = (title: string, description: string): void =>
    void toast.add({ title, description, color: 'error', icon: 'i-lucide-circle-alert' })

  /** If the files cannot be uploaded, tells the user why and does nothing else. */
  async function send(files: readonly File[], hasFolder = false): Promise<void> {
    if (hasFolder) return refuse('Cannot upload a folder', 'Drop its files, or an archive of it.')
    if (files.length === 0) return
    if (!connected()) return refuse('The terminal is not connected', 'Connect first, then paste or drop again.')
    if (files.length > FILES_MAX)
      return refuse('Too many files at once', `You can upload at most ${FILES_MAX} at once.`)
    stop()
    typePaths(await add(named(files), newUploadFolder(), true))
  }

  /** Retries a failed upload. */
  async function retry(id: number): Promise<void> {
    stop()
    const again = await sendAgain(id)
    if (again !== null) typePaths([again])
  }

  /** Types the path of a file that arrived while the user could not type. */
  function typePath(id: number): void {
    typePaths(uploads.filter((each) => each.id === id && each.isUntyped))
  }

  /** Types the paths one at a time: some CLIs do not recognize pictures in paths that are pasted together. */
  function typePaths(ended: readonly Upload[]): void {
    for (const upload of ended.filter(({ state }) => state === 'done')) {
      // The user can learn the folder's random name only here. The file stays listed until its path is typed.
      upload.isUntyped = !canType()
      if (!upload.isUntyped) paste(`${quotePath(upload.path)} `)
    }
    if (!busy.value && uploads.every(({ state, isUntyped }) => state !== 'failed' && !isUntyped)) start()
  }

  return {
    uploads: computed(() => uploads),
    busy,
    canType: computed(canType),
    send,
    retry,
    typePath,
    cancel,
    clear,
  }
}

export type TerminalFiles = ReturnType<typeof useTerminalFiles>

/** Gives each file a name that a path can hold and that no other file has. */
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
