/** Pictures of a prompt. The coding CLI reads each one from a file of the agent, whose path is in the prompt. */
import { AGENT_HOME } from '@slipway/protocol'

/** Most pictures of a prompt. */
export const PICTURES_MAX = 5
/** Largest picture, in bytes. */
export const PICTURE_BYTES_MAX = 10 * 1024 * 1024
/** Height of a thumbnail, in pixels: twice what the page shows, for dense screens. */
const THUMBNAIL_HEIGHT = 80

/** The kinds that models read, with the ends of their names. */
const KINDS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

export const PICTURE_TYPES = Object.keys(KINDS).join(',')

export const isPicture = ({ type }: Pick<File, 'type'>): boolean => type in KINDS

/** The picture's name in the agent. Its own one may need quotes, or be as long as a prompt. */
export const pictureName = ({ type }: Pick<File, 'type'>): string => `picture.${KINDS[type] ?? 'png'}`

/** The paths of the pictures that a prompt names, each once. */
export const picturesIn = (prompt: string): string[] => [
  ...new Set(prompt.match(new RegExp(`${AGENT_HOME}/uploads/[0-9a-z]+/picture\\.(?:png|jpg|gif|webp)`, 'g')) ?? []),
]

/** A small copy as a `data:` address. Null if the browser cannot read the picture. */
export async function thumbnailOf(file: File): Promise<string | null> {
  try {
    const picture = await createImageBitmap(file, { resizeHeight: THUMBNAIL_HEIGHT, resizeQuality: 'medium' })
    const canvas = document.createElement('canvas')
    canvas.width = picture.width
    canvas.height = picture.height
    canvas.getContext('2d')?.drawImage(picture, 0, 0)
    picture.close()
    return canvas.toDataURL('image/png')
  } catch {
    return null
  }
}

/** The prompt with a path at the caret, apart from the words around it, and the caret behind it. */
export function withPath(prompt: string, caret: number, path: string): { text: string; caret: number } {
  const before = prompt.slice(0, caret)
  const after = prompt.slice(caret)
  const head = `${before}${before === '' || /\s$/.test(before) ? '' : ' '}${path}${/^\s/.test(after) ? '' : ' '}`
  return { text: head + after, caret: head.length }
}

/** The prompt without a path, and without the space that came with it. */
export const withoutPath = (prompt: string, path: string): string =>
  prompt.split(`${path} `).join('').split(path).join('')
