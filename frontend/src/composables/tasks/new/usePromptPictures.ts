import { useToast } from '@nuxt/ui/composables'
import { computed, shallowReactive, watch } from 'vue'
import { type Upload, useUploads } from '@/composables/requests/useUploads.ts'
import { bytes } from '@/lib/format/size.ts'
import {
  isPicture,
  PICTURE_BYTES_MAX,
  pictureName,
  PICTURES_MAX,
  thumbnailOf,
  withoutPath,
} from '@/lib/tasks/new/picture.ts'
import { newUploadFolder } from '@/terminal/input/paste.ts'

/** A picture of the prompt, with its upload. */
export interface PromptPicture {
  readonly path: string
  readonly size: number
  readonly thumbnail: string
  readonly upload: Upload
}

interface Kept {
  readonly folder: string
  readonly path: string
  readonly file: File
  readonly thumbnail: string
}

export interface UsePromptPicturesOptions {
  agent: () => string
  isRunning: () => boolean
  prompt: () => string
  change: (prompt: string) => void
  /** Writes a path at the caret. */
  insert: (path: string) => void
}

/**
 * Uploads pictures into the agent's home and names their paths in the prompt. A picture whose path is deleted from the
 * prompt no longer belongs to it.
 */
export function usePromptPictures({ agent, isRunning, prompt, change, insert }: UsePromptPicturesOptions) {
  const toast = useToast()
  const { uploads, busy, add: upload, retry: sendAgain, cancel } = useUploads(agent)
  const kept = shallowReactive<Kept[]>([])

  const shown = computed<PromptPicture[]>(() =>
    kept.flatMap(({ path, file, thumbnail }) => {
      const latest = uploads.findLast((each) => each.path === path)
      if (latest === undefined || latest.state === 'cancelled') return []
      if (latest.state === 'done' && !prompt().includes(path)) return []
      return [{ path, size: file.size, thumbnail, upload: latest }]
    }),
  )

  const refuse = (title: string, description: string): void =>
    void toast.add({ title, description, color: 'error', icon: 'i-lucide-circle-alert' })

  async function send({ folder, path, file }: Kept): Promise<void> {
    const [ended] = await upload([file], folder, true)
    if (ended?.state === 'done' && !prompt().includes(path)) insert(path)
  }

  async function addOne(given: File): Promise<void> {
    if (given.size > PICTURE_BYTES_MAX)
      return refuse('This picture is too large', `A picture may have ${bytes(PICTURE_BYTES_MAX)}.`)
    const thumbnail = isPicture(given) ? await thumbnailOf(given) : null
    if (thumbnail === null) return refuse('This is not a picture', 'A prompt takes PNG, JPEG, GIF and WebP.')
    if (shown.value.length >= PICTURES_MAX)
      return refuse('Too many pictures', `A prompt takes ${PICTURES_MAX}. Remove one first.`)
    const folder = newUploadFolder()
    const file = new File([given], pictureName(given), { type: given.type })
    const picture = { folder, path: `${folder}/${file.name}`, file, thumbnail }
    kept.push(picture)
    await send(picture)
  }

  /** If a picture cannot be uploaded, tells the user why. */
  async function add(files: readonly File[]): Promise<void> {
    if (!isRunning()) return refuse('The agent is not running', 'Start it, then paste the picture again.')
    for (const file of files.slice(0, PICTURES_MAX + 1)) await addOne(file)
  }

  function remove({ path, upload: { id } }: PromptPicture): void {
    cancel(id)
    kept.splice(0, kept.length, ...kept.filter((picture) => picture.path !== path))
    change(withoutPath(prompt(), path))
  }

  async function retry({ path, upload: { id } }: PromptPicture): Promise<void> {
    const again = await sendAgain(id)
    if (again?.state === 'done' && !prompt().includes(path)) insert(path)
  }

  // The prompt goes with its user to another agent, which needs the pictures, too.
  watch(agent, () => {
    const there = shown.value.map(({ path }) => path)
    for (const picture of kept.filter(({ path }) => there.includes(path))) void send(picture)
  })

  return { shown, busy, add, remove, retry }
}
